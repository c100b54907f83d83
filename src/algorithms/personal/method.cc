#include "algorithms/personal/method.h"

#include <algorithm>
#include <utility>

#include "coterie/methods/slots.h"
#include "coterie/methods/with_real.h"

namespace coterie {

std::vector<std::string> PersonalMethod::warnings(const Fleet&) const {
  std::vector<std::string> all;
  if (!setting_->solver.plain()) {
    all.push_back(
        std::string(
            "this method takes one step of size local.rate a round, over all of a client's samples or "
            "over as many as its option batch says: ") +
        (trains_beside()
             ? "the rest of [local] is read for the common model alone, by which groups are found"
             : "of [local] only the rate is read; solver = \"gd\" without further options says as "
               "much"));
  }
  if (by_threshold() && !trains_beside() && setting_->aggregate.kind != "mean") {
    all.emplace_back("aggregate.kind is not read: threshold clustering combines what clients send");
  }
  return all;
}

void PersonalMethod::batch_option(Options& o) {
  o("batch", &batch_,
    "samples that a client draws from its own for its gradients of a round, without replacement; 0: all",
    between(0, 1000000000));
}

Shared PersonalMethod::model_of(const Shelf& offer, const Vec&, ClientView& view) const {
  return personal_model(offer, view);
}

Predictions PersonalMethod::predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const {
  return predict_mixture({personal_model(offer, view)}, {1.0}, view, part);
}

Items PersonalMethod::offer_items(ClientId client) const {
  return client < has_model_.size() && has_model_[client] ? Items::none() : Items::only({start_of(client)});
}

void PersonalMethod::begin(const Fleet& fleet, Start start) {
  starts_ = std::move(start.models);
  memberships_ = std::move(start.memberships);
  has_model_.assign(fleet.clients(), 0);
}

std::uint32_t PersonalMethod::start_of(ClientId client) const {
  const bool known = client < memberships_.size() && memberships_[client] < starts_.size();
  return known ? memberships_[client] : 0;
}

std::vector<std::uint32_t> PersonalMethod::with_singles(std::vector<std::uint32_t> group_of,
                                                        std::size_t count) {
  auto next = static_cast<std::uint32_t>(count);
  for (std::uint32_t& group : group_of) {
    if (group == kUnknownCluster) group = next++;
  }
  return group_of;
}

void PersonalMethod::take_steps(Fleet& fleet, std::span<const ClientId> clients, std::vector<Vec> vectors,
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

PersonalMethod::Gathered PersonalMethod::gather_vectors(Fleet& fleet, std::span<const ClientId> cohort,
                                                        double alpha) const {
  const auto form = this->form();
  // Once as they come; in double where they are put in one block, and where a rule combines a group's.
  const bool robust = !by_threshold() && setting_->aggregate.kind != "mean";
  const std::size_t copies = 2 + (robust ? setting_->aggregate.aggregator->copies() : 0);
  Collect<GradientReply, Numbers> replies(
      [](GradientReply& reply) { return std::move(reply.vector); },
      [&](ClientId, const GradientReply& reply) { return form->refuse(0, 1, reply.vector); },
      setting_->model.size() * (real_size(fleet.precision()) + copies * sizeof(double)));
  auto note = [&](ClientId i) { return GradientNote{offer_items(i), alpha, batch()}; };
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

}  // namespace coterie
