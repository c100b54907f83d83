// What tells clusters apart: means of columns, coefficients and classes, ordered by how much clusters differ.
#pragma once

#include <string>

#include "report/run_facts.h"

namespace coterie {

// Coefficients and means of columns. All are empty unless several clusters have clients and something is
// known of them.
std::string apart_cards(const RunFacts& facts);
std::string class_mix_card(const RunFacts& facts);

}  // namespace coterie
