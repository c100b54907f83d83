// Whether training went where it should: the verdict on a run, and the true cause when replies are too large.
//
// A run has *diverged* when the loss on the training data, with what clients are offered at the end, is not
// finite or clearly above (a tenth) that of a random model, as the model draws its first one: training made
// it worse than none. Held-out data would not do: a model that has learnt its training data by heart may have
// a large loss there.
#pragma once

#include <string>

#include "run/session.h"

namespace coterie {

struct Verdict {
  bool diverged = false;
  double loss = 0;    // on training data, of those clients whose loss is finite
  double random = 0;  // the same of a random model
  std::string text;   // what happened and what to try; empty when all is well

  // As in summary.json.
  const char* name() const { return diverged ? "diverged" : "finished"; }
};

// Asks the clients that are evaluated; counted as evaluation.
Verdict judge_training(Session& session);

// What to say where held-out rows are predicted far worse than by one number for all: R2 below -1, or an
// accuracy 20 points below that of the most frequent class. Training may have gone well all the same. Empty
// where all is well, or the figures were not asked for.
std::string warn_of_held_out(const Evaluation& evaluation);

// What to say after a round that ended with too few usable replies, where some were too large or not finite:
// whose training diverges and why, as far as it can be told. Empty where sizes were not the reason.
std::string why_replies_were_unusable(Session& session);

}  // namespace coterie
