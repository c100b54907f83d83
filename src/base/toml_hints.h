// What is most often wrong with a config that is not well-formed TOML, in words for people who do not know
// TOML.
#pragma once

#include <string>
#include <string_view>

namespace coterie {

// The number of the first line that holds bytes which are not UTF-8, from 1; 0 when there is none.
int first_line_not_utf8(std::string_view text);

// Tables and lists inside each other beyond this depth are refused: whoever reads them calls itself for each.
inline constexpr int kDeepestToml = 32;
// The first line where brackets, or the parts of a dotted key, go deeper than that; 0 when none does.
int first_line_too_deep(std::string_view text);

// For a line such as  kind = ifca : that text needs quotes. Empty when that is not what is wrong.
std::string unquoted_text_hint(std::string_view line);

// toml11 explains a mistake in several lines: a headline, quoted source lines with notes under them, hints.
// Here they become one line.
std::string explain_parser(const std::string& what);

}  // namespace coterie
