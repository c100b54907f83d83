// Small functions on strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coterie {

// "a.b" at '.' -> "a", "b"; always at least one part, empty parts included.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// "1 client", "3 clients"; `many` where an s does not make it.
std::string counted(std::uint64_t n, std::string_view one, std::string_view many = "");
// "a", "a or b", "a, b or c".
std::string either(const std::vector<std::string>& parts);
// Without white space at both ends.
std::string trim(std::string_view text);
// A text as a field of a CSV file, in quotes where it must be.
std::string csv_field(const std::string& text);
// A user's text inside a message, a few dozen characters at most (base/excerpt.h).
std::string in_quotes(std::string_view text);

// "312 B", "1.2 kB", "3.4 MB": powers of 1000.
std::string human_bytes(std::uint64_t bytes);
// "3.4 s", "2 min 05 s", "1 h 12 min"; below a second "350 ms".
std::string human_seconds(double seconds);

}  // namespace coterie
