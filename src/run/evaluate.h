// Judging a round: every client settles on the offered models and is scored on its own held-out part; unseen
// clients and shared test sets likewise. An ask with its own streams and byte count, so its frequency changes
// no bit.
#pragma once

#include <map>

#include "coterie/metric.h"

namespace coterie {

class Evaluator {
 public:
  struct Choices {
    std::optional<std::int64_t> limit = {};  // judge at most so many training clients, a fixed random sample
    // Shared test sets are what clients are scored on with their models, as personal models are in any case.
    bool clients_test = false;
    std::vector<ClientId> liars = {};  // who is not judged, ascending
    std::size_t intercepts = 0;        // trailing parameters of a model that the truth does not have
    bool lowest = false;  // clients are served by the model of lowest loss, whatever the method does
    std::vector<std::string> metrics = {"basic"};  // [evaluate] metrics
  };
  Evaluator(const Roster& roster, const Algorithm& algorithm, std::uint64_t seed, const Choices& choices);

  // `tests`: also scores clients on the shared test set of their own true cluster, where they are.
  // `last`: with metrics = "auto", asks for all metrics of the task whose reports are small enough.
  Evaluation evaluate(Fleet& fleet, std::uint32_t round, bool tests, bool last = false);
  // How many training clients are judged.
  std::size_t judged() const;
  std::vector<ClientId> judged_training() const;
  // The clusters of the last evaluation, which churn is measured against; part of a checkpoint.
  void fields(Archive& a);

 private:
  const Roster& roster_;
  const Algorithm& algorithm_;
  bool lowest_;
  std::size_t intercepts_;
  bool clients_test_;
  // Those of these metrics and, for auto, of all that are for the task. What is left out is told.
  std::vector<std::string> wanted_reports(Fleet& fleet, bool last);
  double report_bytes(const std::vector<std::string>& reports);  // from all who are judged

  std::vector<std::string> metrics_;  // that are not basic
  bool more_at_last_ = false;
  std::map<std::size_t, double> judged_by_rows_;  // how many have so many rows; empty until needed
  std::vector<ClientId> judged_;
  std::vector<std::pair<ClientId, std::uint32_t>> last_clusters_;
};

}  // namespace coterie
