// The client half of shrink: choosing a group, trying pulls on held-out rows, and the client's own model.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// The pulls that are tried, in rows. The ends are no pull (alone) and a full one (the group's model).
inline constexpr double kPulls[] = {0,  0.1, 0.3, 1,    3,    10,
                                    30, 100, 300, 1000, 3000, std::numeric_limits<double>::infinity()};

struct ShrinkState {
  Numbers model;  // empty before the first fit
  void fields(Archive& a) { a(model); }
};

// The client's own model; else the one that was sent, or of several the one with the lowest objective.
Shared shrunk_model(const Shelf& shelf, ClientView& view);

struct JoinNote {
  Items items;  // all groups' models
  void fields(Archive& a) { a(items); }
};
struct JoinReply {
  std::uint32_t cluster = 0;
  void fields(Archive& a) { a(cluster); }
};
// Which group's model has the lowest objective.
const Job<JoinNote, JoinReply>& join_job();

// How a client makes its own model.
struct ShrinkNote {
  Items items;  // its group's model, and for exact fits the group's curvature as a triangle
  std::uint32_t model = 0;
  std::uint32_t curvature = 0;
  bool exact = true;
  bool intercept = false;    // only intercepts are the client's own
  std::uint32_t tuning = 1;  // rounds of local training; not for exact fits
  double rows = 0;           // of the group
  double lambda = 0;         // the pull; below 0: a full one
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(model, curvature, exact, intercept, tuning, rows, lambda); });
  }
};

// The sums of losses over held-out rows, for each of kPulls. Exact fits: every fifth row (or lot of rows that
// belong together, Samples::kin) is held out in turn, and the group's model is corrected for what it knows of
// them, by a step of Newton's method that takes their rows out; exact for squared losses. Where only
// intercepts are the client's own there is no such step: at the group's intercept the slope of these rows is
// not what they put into the group's model, so a step would move what clients share by what they differ in.
// The group's model has then seen the rows, for all pulls alike. Networks: the validation part is held out,
// or where there is none every fifth training row, which the group's model has seen.
struct TriedReply {
  Numbers losses;
  double rows = 0;
  void fields(Archive& a) { a.about_sender(losses, rows); }
};
const Job<ShrinkNote, TriedReply>& try_pulls_job();

// Makes the client's own model with the note's pull and keeps it.
struct ShrunkReply {
  double largest = 0;  // none of its model's numbers is larger; NaN: some are not finite
  void fields(Archive& a) { a(largest); }
};
const Job<ShrinkNote, ShrunkReply>& shrink_job();

}  // namespace coterie
