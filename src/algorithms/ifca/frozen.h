// IFCA with a frozen extractor (`frozen`): all models have it in common, and only heads are trained.
#pragma once

#include <string>
#include <vector>

#include "algorithms/ifca/client.h"
#include "coterie/algorithm.h"

namespace coterie {

// Throws Error where a head cannot be trained alone.
void check_can_freeze(const Setting& setting);
std::vector<std::string> names_before_head(const Model& model);

// A client's turn: the extractor is run once to choose among the heads, and the chosen one is trained.
IfcaReply frozen_turn(const Shelf& models, ClientView& view);

}  // namespace coterie
