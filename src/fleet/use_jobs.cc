#include "fleet/use_jobs.h"

#include <cmath>

namespace coterie {
namespace {

CostsReply costs_of(const Algorithm& method, const Shelf& sent, const CostsNote& note, ClientView& view) {
  view.use_part(note.part);
  const Shelf offer = note.packing.unpack(sent, view.precision());
  CostsReply reply;
  reply.samples = static_cast<double>(view.count(Part::train));
  for (const double cost :
       note.models_only ? method.Algorithm::costs(offer, view) : method.costs(offer, view)) {
    const bool finite = std::isfinite(cost);
    reply.costs.push_back({finite ? cost : 0, finite});
  }
  return reply;
}

OwnModelReply own_model_of(const Algorithm& method, const Shelf& sent, const OwnModelNote& note,
                           ClientView& view) {
  const Shelf offer = note.packing.unpack(sent, view.precision());
  const Shared model = method.model_of(offer, method.settle(offer, view), view);
  for (std::size_t k = 0; model && k < offer.size(); ++k) {
    if (offer.has(k) && offer[k].is(model) && !method.personal()) return {};
  }
  return model ? OwnModelReply{Numbers(model.values())} : OwnModelReply{};
}

}  // namespace

const Job<CostsNote, CostsReply>& costs_job() {
  static const Job<CostsNote, CostsReply> job("costs", nullptr);
  return job;
}

const Job<OwnModelNote, OwnModelReply>& own_model_job() {
  static const Job<OwnModelNote, OwnModelReply> job("own-model", nullptr);
  return job;
}

std::vector<std::unique_ptr<const AnyJob>> make_use_jobs(const Algorithm& method) {
  std::vector<std::unique_ptr<const AnyJob>> jobs;
  jobs.push_back(std::make_unique<Job<CostsNote, CostsReply>>(
      costs_job().name(), [&method](const Shelf& sent, const CostsNote& note, ClientView& view) {
        return costs_of(method, sent, note, view);
      }));
  jobs.push_back(std::make_unique<Job<OwnModelNote, OwnModelReply>>(
      own_model_job().name(), [&method](const Shelf& sent, const OwnModelNote& note, ClientView& view) {
        return own_model_of(method, sent, note, view);
      }));
  return jobs;
}

}  // namespace coterie
