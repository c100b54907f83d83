// What clients elsewhere are asked apart from any session: the columns of their table, who holds what, and
// what a cut of their rows comes to. `config` is a run's whose model is bound to the roster's shape.
#pragma once

#include "fleet/holdings.h"
#include "run/session.h"

namespace coterie {

struct FirstAnswers {
  // By client; nothing of those that do not tell.
  std::vector<std::optional<HoldingsReply>> holdings;
  std::vector<std::optional<LabelsReply>> labels;
  TableSchema table;  // as agreed
};
// The roster's table is a draft.
FirstAnswers ask_first(const Config& config, const ElsewhereRun& run);

// Of each client: how many training rows train and how many are held out. One that does not tell trains on
// all.
using CutSizes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
CutSizes ask_sizes(const Config& config, const ElsewhereRun& run, const RowCut& cut);

}  // namespace coterie
