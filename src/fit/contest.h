// Runs candidates over folds, and keeps what each client lost on its held-out rows.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fit/arena.h"
#include "fit/candidates.h"

namespace coterie {

// Over the folds, of one client.
struct ClientLoss {
  ClientId client = 0;
  double rows = 0;
  double loss = 0;    // sum over the rows: squared error in the target's units, or -log probability
  double figure = 0;  // sum over the rows: |error| in the target's units, or rows that are right
};

// Probabilities against what happened, in ten bins of equal width, every class against the others.
struct Reliability {
  static constexpr std::size_t kBins = 10;
  Vec rows = Vec(kBins, 0.0);
  Vec predicted = Vec(kBins, 0.0);  // sum of probabilities
  Vec happened = Vec(kBins, 0.0);   // rows of the class

  // The mean gap between the two, weighted by rows: the expected calibration error; NaN without rows.
  double error() const;
};

struct FitTrial {
  std::string name;                      // the candidate's
  std::vector<ClientLoss> clients;       // those with held-out rows, ascending
  double parameters = 0;                 // numbers that were learned, in one fold
  std::vector<Reliability> reliability;  // of all clients, then of each group; empty for a regression
  bool personal = false;                 // clients end with models of their own
  std::size_t models = 0;                // that clients share, in the last fold
  bool knows_truth = false;              // its method is told the true clusters
  double seconds = 0;                    // no part of any decision
  std::string error;                     // why it failed; its clients are then empty
  std::vector<std::string> warnings;

  bool failed() const { return !error.empty(); }
  double rows() const;
  double mean_loss() const;    // over rows
  double mean_figure() const;  // over rows
};

struct Stopped {};  // thrown when the user asked to stop

// Calls `step` after each fold. What goes wrong is told in the trial; a config that does not fit the data is
// such a failure too.
// `folding`: the contest's cut. `groups`: that each client is in, by id, for the reliability of
// probabilities; may be empty.
FitTrial run_trial(const Candidate& candidate, Arena& arena, const Folding& folding,
                   const std::vector<std::uint32_t>& groups, const std::function<void()>& step);

nlohmann::ordered_json trial_json(const FitTrial& trial);
FitTrial trial_from(const nlohmann::ordered_json& json);

}  // namespace coterie
