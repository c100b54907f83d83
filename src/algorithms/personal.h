// What methods share whose clients keep a model of their own and take steps that the server chooses for them:
// the client's state, its jobs, and how it is served.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"
#include "math/kernels.h"
#include "math/points.h"

namespace coterie {

struct PersonalState {
  Vec model;     // x_i; empty before the first step
  Vec momentum;  // m_i, where the method has one
  void fields(Archive& a) { a(model, momentum); }
};

// The client's own model, or the start that it was sent.
inline Shared personal_model(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<PersonalState>();
  if (!state.model.empty()) return view.share(state.model);
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) return shelf[k];
  }
  throw Error("it has no model, and was sent none to start from");
}

// Take a step along a vector of the shelf, by the solver's rate:
//   m = momentum m + v,  x = x - rate m
struct StepNote {
  Items items;             // the vector, and the start for a client without a model
  std::uint32_t step = 0;  // which item is the vector
  double momentum = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(step, momentum); });
  }
};
struct StepReply {
  void fields(Archive&) {}
};
inline const Job<StepNote, StepReply> kTakeStep("take-step", [](const Shelf& shelf, const StepNote& note,
                                                                ClientView& view) {
  auto& state = view.state<PersonalState>();
  Vec model = personal_model(shelf, view).values();
  const Vec& v = shelf[note.step].values();
  if (v.size() != model.size()) throw Error("it was sent a step of another size");
  const double rate = view.solver().rate(view.round());
  if (note.momentum > 0) {
    state.momentum.resize(model.size(), 0.0);
    scale(note.momentum, std::span(state.momentum));
    add_scaled(1.0, v, std::span(state.momentum));
  }
  add_scaled(-rate, note.momentum > 0 ? state.momentum : v, std::span(model));
  if (!all_finite(model)) throw Error("its model would no longer be finite; lower local.rate");
  state.model = std::move(model);
  return StepReply{};
});

// The gradient at its own model, or the running mean of such gradients,
//   m = alpha g + (1 - alpha) m.
struct GradientNote {
  Items items;  // the start, for a client without a model
  double alpha = 1;
  bool from_nothing() const { return true; }
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(alpha); });
  }
};
struct GradientReply {
  Numbers vector;
  void fields(Archive& a) { a(vector); }
};
inline const Job<GradientNote, GradientReply> kOwnGradient("own-gradient", [](const Shelf& shelf,
                                                                              const GradientNote& note,
                                                                              ClientView& view) {
  Numbers gradient = view.gradient(personal_model(shelf, view));
  if (note.alpha == 1) return GradientReply{std::move(gradient)};
  auto& state = view.state<PersonalState>();
  state.momentum.resize(gradient.size(), 0.0);
  scale(1 - note.alpha, std::span(state.momentum));
  add_scaled(note.alpha, Vec(gradient), std::span(state.momentum));
  return GradientReply{state.momentum};
});

// The server half of them: who has a model, and where the others start.
class PersonalMethod : public Algorithm {
 public:
  bool personal() const override { return true; }
  std::vector<std::string> warnings(const Fleet&) const override {
    std::vector<std::string> all;
    if (!setting_->solver.plain()) {
      all.emplace_back(
          "this method takes one step of size local.rate a round, over all of a client's samples: of [local] "
          "only the rate is read; solver = \"gd\" without further options says as much");
    }
    if (by_threshold() && setting_->aggregate.kind != "mean") {
      all.emplace_back("aggregate.kind is not read: threshold clustering combines what clients send");
    }
    return all;
  }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override {
    return personal_model(offer, view);
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    return predict_mixture({personal_model(offer, view)}, {1.0}, view, part);
  }
  Offer offer() const override { return {starts_}; }
  Items offer_items(ClientId client) const override {
    return client < has_model_.size() && has_model_[client] ? Items::none() : Items::only({start_of(client)});
  }

 protected:
  // Whether threshold clustering combines vectors, in place of [aggregate] kind.
  virtual bool by_threshold() const { return false; }

  void begin(const Fleet& fleet, Start start) {
    starts_ = std::move(start.models);
    memberships_ = std::move(start.memberships);
    has_model_.assign(fleet.clients(), 0);
  }
  // Which of the start's models a client begins with: its cluster's if the start knows it, else the first.
  std::uint32_t start_of(ClientId client) const {
    const bool known = client < memberships_.size() && memberships_[client] < starts_.size();
    return known ? memberships_[client] : 0;
  }
  bool has_model(ClientId client) const { return has_model_[client] != 0; }
  const Vec& start_model(ClientId client) const { return starts_[start_of(client)]; }

  // Groups by number, where a client that had no turn yet (kUnknownCluster) is alone: in a group of its own
  // after the first `count`.
  static std::vector<std::uint32_t> with_singles(std::vector<std::uint32_t> group_of, std::size_t count) {
    auto next = static_cast<std::uint32_t>(count);
    for (std::uint32_t& group : group_of) {
      if (group == kUnknownCluster) group = next++;
    }
    return group_of;
  }

  // Sends each of these clients one of the vectors as its step.
  void take_steps(Fleet& fleet, std::span<const ClientId> clients, std::vector<Vec> vectors,
                  const std::function<std::uint32_t(ClientId)>& which, double momentum) {
    Shelf shelf(starts_, fleet.precision());
    for (Vec& v : vectors) shelf.add(Shared(std::move(v), fleet.precision()));
    const auto first = static_cast<std::uint32_t>(starts_.size());
    auto note = [&](ClientId i) {
      std::vector<std::uint32_t> items{first + which(i)};
      if (!has_model(i)) items.push_back(start_of(i));
      return StepNote{Items::only(std::move(items)), first + which(i), momentum};
    };
    for (const ClientId i : fleet.ask(kTakeStep, clients, shelf, note, {})) has_model_[i] = 1;
  }

  // The gradients of a cohort at their own models, or their running means, by client; for grouping.
  struct Gathered {
    std::vector<ClientId> clients;
    Vec values;
    Points points() const { return {values, clients.size(), values.size() / clients.size()}; }
  };
  Gathered gather_vectors(Fleet& fleet, std::span<const ClientId> cohort, double alpha) const {
    const auto form = this->form();
    const std::size_t real = fleet.precision() == Precision::f32 ? sizeof(float) : sizeof(double);
    // Once as they come; in double where they are put in one block, and where a rule combines a group's.
    const bool robust = !by_threshold() && setting_->aggregate.kind != "mean";
    const std::size_t copies = 2 + (robust ? setting_->aggregate.aggregator->copies() : 0);
    Collect<GradientReply, Numbers> replies(
        [](GradientReply& reply) { return std::move(reply.vector); },
        [&](ClientId, const GradientReply& reply) { return form->refuse(0, 1, reply.vector); },
        setting_->model.size() * (real + copies * sizeof(double)));
    auto note = [&](ClientId i) { return GradientNote{offer_items(i), alpha}; };
    fleet.ask(kOwnGradient, cohort, Shelf(starts_, fleet.precision()), note, {&replies});
    Gathered all;
    all.values.resize(replies.items.size() * setting_->model.size());
    for (const auto& [i, vector] : replies.items) {
      const auto begin =
          all.values.begin() + static_cast<std::ptrdiff_t>(all.clients.size() * setting_->model.size());
      vector.piece(0, vector.size(), [&](auto values) { std::copy(values.begin(), values.end(), begin); });
      all.clients.push_back(i);
    }
    return all;
  }

  // What must hold of a vector that a client sends: of the model's size, finite, within aggregate.limit.
  std::unique_ptr<Slots> form() const { return setting_->aggregate.slots(1, setting_->model.size(), 1); }

  void personal_fields(Archive& a) { a(starts_, memberships_, has_model_); }

 private:
  std::vector<Vec> starts_;
  std::vector<std::uint32_t> memberships_;  // of the start; may be empty
  std::vector<std::uint8_t> has_model_;
};

}  // namespace coterie
