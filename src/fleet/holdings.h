// What clients that join tell of who holds what, where a run needs more of it than their introductions say:
// `coterie fit` over a network.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "coterie/client.h"
#include "coterie/detail/job.h"
#include "coterie/fleet.h"
#include "coterie/methods/score.h"
#include "data/moments.h"
#include "fleet/agreement.h"
#include "fleet/joined_roster.h"

namespace coterie {

// Gaps of a table, and the target of a regression. Asked while columns are yet to be agreed on.
struct HoldingsNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct HoldingsReply {
  std::vector<std::uint32_t> missing;  // by feature: rows of all parts without a value
  ColumnMoments target;                // of the training rows; no count for classes
  void fields(Archive& a) { a(missing, target); }
};
// `agreement` has the table, and must outlive the job.
std::unique_ptr<const AnyJob> make_holdings_job(const Agreement& agreement);
const Job<HoldingsNote, HoldingsReply>& holdings_job();

// How many rows a cut leaves to train on, and how many it holds out.
struct CutSizesNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct CutSizesReply {
  std::uint32_t train = 0;
  std::uint32_t held_out = 0;
  void fields(Archive& a) { a(train, held_out); }
};
const Job<CutSizesNote, CutSizesReply>& cut_sizes_job();

// Answers by client id; nothing of a client that does not tell, or tells what is impossible.
std::vector<std::optional<HoldingsReply>> ask_holdings(Fleet& fleet, const JoinedRoster& roster);
std::vector<std::optional<LabelsReply>> ask_labels(Fleet& fleet, const JoinedRoster& roster);
std::vector<std::optional<CutSizesReply>> ask_cut_sizes(Fleet& fleet, const JoinedRoster& roster);

}  // namespace coterie
