#include "algorithms/known/method.h"

#include <utility>

#include "coterie/methods/train.h"

namespace coterie {

void KnownClustersMethod::average_trained(Fleet& fleet, const Round& round, double prox) {
  train_and_average(
      fleet, *setting_, round.cohort, [&](ClientId i) { return cluster_of(i); }, prox, models_);
}

std::vector<std::string> KnownClustersInOneRound::warnings(const Fleet& fleet) const {
  return local_erm_warnings(fleet, *setting_, erm_);
}

void KnownClustersInOneRound::start(Fleet& fleet, Start start) {
  KnownClustersMethod::start(fleet, std::move(start));
  finished_ = false;
}

void KnownClustersInOneRound::round(Fleet& fleet, const Round& round) {
  solve(fleet, round.cohort);
  finished_ = asks_everyone(fleet, *setting_, round);
}

void KnownClustersInOneRound::solve(Fleet& fleet, const std::vector<ClientId>& cohort) {
  average_local_models(
      fleet, *setting_, cohort, [&](ClientId i) { return cluster_of(i); }, erm_, models_);
}

}  // namespace coterie
