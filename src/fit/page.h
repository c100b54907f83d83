// fit.html: the findings as a page.
#pragma once

#include <string>

#include "fit/decision.h"

namespace coterie {

std::string fit_page(const FitFindings& findings);

}  // namespace coterie
