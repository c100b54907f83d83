// A client's gradients at several models, in one pass over its data.
#pragma once

#include <span>
#include <vector>

#include "coterie/client.h"

namespace coterie {

// Of the mean loss over the training part, L2 term included: what ClientView::gradient gives at each of the
// models, up to rounding. The rows are read once where a row has a single score; else one model after the
// other works on rows that stay in cache.
std::vector<Numbers> gradients_at(ClientView& view, std::span<const Shared> models);

}  // namespace coterie
