// A user's text inside a message.
#pragma once

#include <string>
#include <string_view>

namespace coterie {

// A long text loses its middle, "begin ... end", and what a terminal would act on is shown as "?": no message
// is longer than a screen, whatever it quotes.
std::string excerpt(std::string_view text, std::size_t most = 200);

}  // namespace coterie
