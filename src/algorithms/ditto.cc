// Ditto (Li et al., 2021): FedAvg for everybody, and at each client a model of its own that is pulled towards
// the common one,
//
//   min over v_i   f_i(v_i) + lambda/2 |v_i - w|^2
//
// trained in the same turn, from where it was, with w as the client received it.
//
// Choose it when clients are alike but for small differences: it lies between `local` (lambda = 0) and
// `fedavg` (large lambda). Where clusters pull the common model apart, that model is a bad anchor.
//
// `learn = "nothing"` is what the authors of Federated-Clustering ran: in their code the common model never
// moves, and own models are pulled to it after their step, outside of its momentum,
//
//   v_i <- v_i + c_i - rate lambda (v_i - w)
//
// where c_i is what plain training changes v_i by.
//
// A client that was never asked predicts with the common model.
#include <limits>

#include "coterie/algorithm.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"
#include "coterie/methods/with_real.h"

namespace coterie {
namespace {

struct DittoState {
  Numbers model;  // v_i; empty before the first turn
  void fields(Archive& a) { a(model); }
};

struct DittoNote {
  Items items;
  double lambda = 1;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(lambda); });
  }
};

// The client's own model, or the common one when it has none yet.
Shared held_by(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<DittoState>();
  return state.model.size() == 0 ? shelf[0] : Shared::of(state.model, view.precision());
}

const Job<DittoNote, TrainReply> kTrainBoth("ditto", [](const Shelf& shelf, const DittoNote& note,
                                                        ClientView& view) {
  auto& state = view.state<DittoState>();
  const Shared& common = shelf[0];
  // Each of the two has its own surviving momentum.
  TrainReply reply{view.train(common)};
  const Shared own = held_by(shelf, view);
  state.model = view.train(own, {.prox = note.lambda, .centre = &common, .weights = {}, .slot = 1});
  return reply;
});

// Where the common model stays as it is nothing is sent up but whether training went well.
struct OwnReply {
  double largest = 0;  // none of its model's numbers is larger; NaN: some are not finite
  void fields(Archive& a) { a(largest); }
};

template <class Real>
void pull_back(double pull, const Shared& own, const Shared& common, Numbers& trained) {
  const std::span<const Real> from = own.as<Real>(), to = common.as<Real>();
  Room<Real>& model = trained.edit<Real>();
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double gap = static_cast<double>(from[j]) - static_cast<double>(to[j]);
    model[j] = static_cast<Real>(static_cast<double>(model[j]) - pull * gap);
  }
}

const Job<DittoNote, OwnReply> kTrainOwn("ditto-own", [](const Shelf& shelf, const DittoNote& note,
                                                         ClientView& view) {
  auto& state = view.state<DittoState>();
  const Shared own = held_by(shelf, view);
  view.expect_model(shelf[0]);
  state.model = view.train(own);
  double pull = view.solver().rate(view.round()) * note.lambda;
  if (view.solver().wants_rate()) pull /= 1 + pull;  // a rate that was found for the loss alone
  with_real(view.precision(),
            [&](auto real) { pull_back<decltype(real)>(pull, own, shelf[0], state.model); });
  return OwnReply{state.model.largest(std::numeric_limits<float>::max())};
});

class Ditto : public Algorithm {
 public:
  void options(Options& o) override {
    o("lambda", &lambda_, "pull of a client's own model towards the common one", at_least(0));
    o.choice("learn", learn_, {"common", "nothing"},
             "the common model is trained by the clients, or stays as it began");
  }
  bool personal() const override { return true; }
  std::size_t start_models() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override {
    if (learn_ == "nothing") return {&kTrainOwn};
    return {&kTrainBoth};
  }
  std::vector<std::string> warnings(const Fleet&) const override {
    if (learn_ == "common" || setting_->aggregate.kind == "mean") return {};
    return {"aggregate.kind is not read: with learn = \"nothing\" nothing is combined"};
  }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override {
    return held_by(offer, view);
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    return predict_mixture({held_by(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    has_model_.assign(fleet.clients(), 0);
  }
  void round(Fleet& fleet, const Round& round) override {
    const Shelf shelf(models_, fleet.precision());
    auto note = [&](ClientId) { return DittoNote{Items::all(), lambda_}; };
    if (learn_ == "nothing") {
      for (const ClientId i : fleet.ask(kTrainOwn, round.cohort, shelf, note, {})) has_model_[i] = 1;
      return;
    }
    auto means =
        setting_->aggregate.slots(1, setting_->model.size(), total_weight(*setting_, fleet, round.cohort));
    IntoSlots<TrainReply> fold(*means, &TrainReply::model, [&](ClientId i, const TrainReply&) {
      return SlotWeight{0, client_weight(*setting_, fleet, i)};
    });
    for (const ClientId i : fleet.ask(kTrainBoth, round.cohort, shelf, note, {&fold})) has_model_[i] = 1;
    models_[0] = means->mean_or(0, models_[0]);
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    return client < has_model_.size() && has_model_[client] ? Items::none() : Items::all();
  }
  void fields(Archive& a) override { a(models_, has_model_); }

 private:
  double lambda_ = 1;
  std::string learn_ = "common";
  std::vector<Vec> models_;  // the common one
  std::vector<std::uint8_t> has_model_;
};

const Registration<Algorithm> kDitto{"ditto", "fedavg, and a model for each client that is pulled towards it",
                                     [] { return std::make_unique<Ditto>(); }};

}  // namespace
}  // namespace coterie
