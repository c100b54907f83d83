// All that a fit found, and decision.json, which has no times in it: the same seed gives the same bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/choice.h"
#include "fit/evidence.h"
#include "fit/portrait.h"
#include "fit/reading.h"

namespace coterie {

// What the chosen run came to on its test rows, which nothing was chosen by.
struct ChosenRun {
  bool finished = false;
  std::string error;  // why it did not
  double value = 0;   // of the metric; NaN where it has none
  double worst = 0;   // of its worst client
};

struct FitFindings {
  Reading reading;
  std::vector<Candidate> candidates;  // all that were planned
  std::vector<FitTrial> trials;       // of the first of them
  bool cut = false;                   // by --minutes
  Folding folds;
  GroupEvidence evidence;
  GroupPortrait portrait;
  FitChoice choice;
  ChosenRun run;
  std::vector<std::string> warnings;
  std::int64_t seed = 1;

  const Candidate& chosen() const { return candidates[*choice.chosen]; }
  const FitTrial& chosen_trial() const { return trials[*choice.chosen]; }
  // The trial that others are compared with; none when it failed.
  const FitTrial* one_model() const;
  const std::string& plain_kind() const { return candidates.front().model; }  // of model of the first ones
  // One model of the chosen candidate's kind; none where that is one_model(), or was not tried.
  const FitTrial* one_of_the_chosen_kind() const;
  // What a candidate comes to; of a method that the user named, by the models that it made.
  Answer answer_of(std::size_t candidate) const;
  std::size_t clusters_of(std::size_t candidate) const;
  // A loss as people read it: RMSE in the target's units, or log loss.
  double shown_loss(double mean_loss) const;
  // The trial's worst client: its place among the trial's clients.
  std::size_t worst_client(const FitTrial& trial) const;
  std::string metric() const { return reading.task == Task::regression ? "rmse" : "log_loss"; }
};

// FIT's warnings: what a reader of the figures must know.
std::vector<std::string> warnings_of(const FitFindings& findings);

std::string decision_json(const FitFindings& findings);

}  // namespace coterie
