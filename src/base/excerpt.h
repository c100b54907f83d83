// Messages that quote a user's text, and are no longer than a screen all the same.
#pragma once

#include <string>
#include <string_view>

namespace coterie {

// A long text loses its middle, "begin ... end", and what a terminal would act on is shown as "?".
std::string excerpt(std::string_view text, std::size_t most = 200);

// A whole message: each of its lines in this way, and of many lines the first ones, with the number of
// others.
std::string on_a_screen(std::string_view message);

}  // namespace coterie
