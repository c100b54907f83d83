// Judging a round: every client settles on the offered models and is scored on its own held-out part; unseen
// clients and shared test sets likewise. An ask with its own streams and byte count, so its frequency changes
// no bit.
#pragma once

#include "coterie/metric.h"

namespace coterie {

class Evaluator {
 public:
  // Judges honest clients only. Judges at most `limit` training clients, a fixed random sample, when it is
  // given. `clients_test`: shared test sets are what clients are scored on with their models, as personal
  // models are in any case.
  Evaluator(const Engine& engine, const Algorithm& algorithm, std::optional<std::int64_t> limit,
            bool clients_test, const std::vector<ClientId>& liars = {});

  // `tests`: also scores clients on the shared test set of their own true cluster, where they are.
  Evaluation evaluate(Fleet& fleet, std::uint32_t round, bool tests);
  // How many training clients are judged.
  std::size_t judged() const;
  // The clusters of the last evaluation, which churn is measured against; part of a checkpoint.
  void fields(Archive& a);

 private:
  const Engine& engine_;
  const Algorithm& algorithm_;
  bool clients_test_;
  std::vector<ClientId> judged_;
  std::vector<std::pair<ClientId, std::uint32_t>> last_clusters_;
};

}  // namespace coterie
