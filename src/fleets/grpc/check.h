// coterie check: which step of a connection fails.
#pragma once

#include <functional>
#include <string>

#include "fleet/network.h"

namespace coterie::net {

bool check_server(const CheckRequest& request, const std::function<void(const std::string&)>& say);

}  // namespace coterie::net
