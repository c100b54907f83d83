// The processes that work on one run together: each runs the server half, which is deterministic, and has
// some of the clients. One process alone is the common case, in which nothing here does anything.
#pragma once

#include <functional>

#include "coterie/fold.h"

namespace coterie {

class Ranks : public Peers {
 public:
  virtual unsigned rank() const = 0;
  virtual unsigned count() const = 0;
  // What this process has spent on the others so far.
  struct Spent {
    double waited = 0;        // seconds until all had done their share
    std::uint64_t bytes = 0;  // that it gave to merges
    std::uint64_t merges = 0;
  };
  Spent spent;

  // Rank 0 writes the run folder and speaks to the user.
  bool leads() const { return rank() == 0; }

  // For a rank that has failed: whether all the others fail within moments, as they do when the reason is the
  // same for all. One that failed alone must end them all.
  virtual bool all_failed() = 0;
  virtual void end_all(int status) = 0;
};

// One process, which has all clients.
Ranks& alone();

// For a rank that has failed: whether the others have as well.
inline bool all_fail(Ranks& ranks) { return ranks.count() == 1 || ranks.all_failed(); }

// What rank 0 has, for all. Also a point that no rank passes before all have reached it.
Bytes from_first(Ranks& ranks, Bytes own);
void wait_for_all(Ranks& ranks);
bool any_of(Ranks& ranks, bool own);
std::uint64_t largest_of(Ranks& ranks, std::uint64_t own);

// Does work that may fail on some ranks only (their files, their clients). Then all ranks throw the failure
// of the first of these, an Error or a FileError.
void together(Ranks& ranks, const std::function<void()>& work);
// The same for work of rank 0 alone.
void on_first(Ranks& ranks, const std::function<void()>& work);

}  // namespace coterie
