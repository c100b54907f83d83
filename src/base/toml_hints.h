// What is most often wrong with a config that is not well-formed TOML, in words for people who do not know
// TOML.
#pragma once

#include <string>
#include <string_view>

namespace coterie {

// The number of the first line that holds bytes which are not UTF-8, from 1; 0 when there is none.
int first_line_not_utf8(std::string_view text);

// For a line such as  kind = ifca : that text needs quotes. Empty when that is not what is wrong.
std::string unquoted_text_hint(std::string_view line);

// toml11 explains a mistake in several lines: a headline, quoted source lines with notes under them, hints.
// Here they become one line.
std::string explain_parser(const std::string& what);

}  // namespace coterie
