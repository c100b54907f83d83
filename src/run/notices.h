// What a run says to whoever watches it, as texts.
#pragma once

#include <string>
#include <vector>

#include "coterie/metric.h"
#include "run/config.h"

namespace coterie {

// A few words for the progress bar: "accuracy 0.930  ARI 1.000".
std::string status_of(const Record& record);

// One line about the clients that were left out in a round: the reason of the first, and who else was, the
// first few by name. There is at least one event.
std::string left_out_text(const Roster& roster, const std::vector<Event>& rejected);

// The tables of methods and starts that none of these runs of one config uses, a sentence each.
std::vector<std::string> notes_on_unused(const std::vector<const Config*>& runs);

}  // namespace coterie
