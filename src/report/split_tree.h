// How clusters came to be: splits, mergers and removals as a tree, with the numbers that caused them.
#pragma once

#include <string>

#include "report/run_facts.h"

namespace coterie {

// Empty where no cluster was ever split, merged or removed.
std::string split_tree_card(const RunFacts& facts);

}  // namespace coterie
