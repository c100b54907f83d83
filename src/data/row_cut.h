// Held-out rows inside clients: a client's training rows are cut into folds, and models are judged on each
// fold that have not seen it. A client cuts its rows alone, so a federation over a network and one in a
// single process have the same folds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/data.h"

namespace coterie {

constexpr std::uint32_t kMostFolds = 1000;

// Which of a client's training rows a session trains on, and which it is scored on.
struct RowCut {
  std::uint32_t folds = 2;
  std::uint32_t fold = 0;  // held out; below `folds`
  std::uint64_t seed = 0;
  bool blank = false;  // features are zeros, so that a model has nothing but its intercept to learn
};

// Of one fold: places among the client's training rows.
struct FoldRows {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> held_out;
};

// What a cut goes by, by training row.
struct RowsToCut {
  std::size_t count = 0;
  std::span<const double> classes = {};  // of a classification: labels; may be empty where there are bonds
  std::span<const std::uint32_t> kin = {};
  std::span<const std::uint32_t> times = {};
};

// Each fold of a client's training rows. Rows of one kin stay in one fold, and classes are spread over the
// folds. With times the rows are cut into `folds` + 1 stretches: stretch f + 1 judges what was learned from
// stretches 0 .. f, so the first judges nothing. A client keeps at least one row to train on in every fold;
// rows that cannot be cut all train in each of them, and judge nothing.
std::vector<FoldRows> cut_rows(const RowsToCut& rows, ClientId client, std::size_t folds, std::uint64_t seed);

// The rows of a client as a cut leaves them: what it trains on, and what it holds out.
struct CutSamples {
  Samples train;
  Samples held_out;
};
CutSamples cut_samples(const Samples& train, std::span<const std::uint32_t> times, ClientId client,
                       const RowCut& cut);

void blank_out(Samples& samples);

}  // namespace coterie
