// The style sheet of our pages: light and dark screens, narrow ones, and paper.
#pragma once

#include <string_view>

namespace coterie {

std::string_view page_style();

}  // namespace coterie
