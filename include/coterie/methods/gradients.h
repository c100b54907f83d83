// A client's gradients at several models, in one pass over its data.
#pragma once

#include <span>
#include <vector>

#include "coterie/client.h"

namespace coterie {

// Of the mean loss over the training part, L2 term included: what ClientView::gradient gives at each of the
// models, to the bit where a first layer has several outputs, else up to rounding. All models are served by
// one product with the rows for their sums, and one more for the gradients of their first layers.
std::vector<Numbers> gradients_at(ClientView& view, std::span<const Shared> models);

}  // namespace coterie
