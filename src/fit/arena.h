// Where trials run: all training rows of the clients, whole or cut into folds, at hand or elsewhere.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fit/folds.h"
#include "fit/kept.h"
#include "run/first_asks.h"

namespace coterie {

// A cut into folds, over all clients.
struct Folding {
  std::size_t count = 0;
  std::uint64_t seed = 0;
  bool in_time = false;         // later rows judge what was learned from earlier ones
  std::size_t unjudged = 0;     // clients of which no row is held out: they train only
  std::size_t judged_rows = 0;  // of all folds

  RowCut fold(std::size_t number, bool blank = false) const {
    return {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(number), seed, blank};
  }
};

class Arena {
 public:
  virtual ~Arena() = default;

  virtual const Roster& roster() const = 0;
  // Cuts every client's training rows. The first cut is that of the contest.
  virtual Folding cut(std::size_t folds, std::uint64_t seed) = 0;
  // On all training rows, or on those of a fold of such a cut. `config` must outlive it.
  virtual std::unique_ptr<Session> session(const Config& config, const std::optional<RowCut>& cut = {}) = 0;
  // Whether a lack of answers ends the fit, to be resumed, rather than the candidate.
  virtual bool ends_below_quorum() const { return false; }
};

std::unique_ptr<Arena> arena_at_hand(std::shared_ptr<const Federation> base, unsigned threads);

// `probe`: the config of a candidate, by whose program clients are asked. The roster's columns are agreed on.
// What a cut comes to is kept in `work`.
std::unique_ptr<Arena> arena_elsewhere(const ElsewhereRun& clients, const Table& probe, unsigned threads,
                                       const KeptWork& work);

}  // namespace coterie
