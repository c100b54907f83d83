// Who is in which cluster, by name.
#pragma once

#include <string>

#include "report/run_facts.h"

namespace coterie {

// A list for each cluster that folds away, open where clients are few: of up to 2,000 clients with their
// figures, of more with names alone. Empty without clients.
std::string members_card(const RunFacts& facts);

// What each client gains over one model for all and over training alone, as dots. Empty where no other run
// of the sweep tells.
std::string gains_card(const RunFacts& facts);

// "ward 1, ward 2, ward 3 and 12 more"
std::string first_names(const std::vector<const ClientRow*>& clients, std::size_t most);

}  // namespace coterie
