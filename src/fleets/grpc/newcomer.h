// coterie assign --server: what a server welcomes newcomers with.
#pragma once

#include "fleet/network.h"

namespace coterie::net {

Bytes fetch(const CheckRequest& request);

}  // namespace coterie::net
