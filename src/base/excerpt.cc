#include "base/excerpt.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace coterie {

std::string excerpt(std::string_view text, std::size_t most) {
  constexpr std::string_view kGap = " ... ";
  // No character of several bytes is cut in two.
  auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::string shown(text);
  if (text.size() > most) {
    std::size_t begin = (most - std::min(most, kGap.size())) / 2, end = text.size() - begin;
    while (begin > 0 && inside(begin)) --begin;
    while (end < text.size() && inside(end)) ++end;
    shown = std::string(text.substr(0, begin)) + std::string(kGap) + std::string(text.substr(end));
  }
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  }
  return shown;
}

std::string on_a_screen(std::string_view message) {
  constexpr std::size_t kLines = 20, kLength = 1000;
  const std::vector<std::string> lines = split(message, '\n');
  // One line more costs no more than to say that there is one.
  const std::size_t shown = lines.size() > kLines + 1 ? kLines : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : "\n") + excerpt(lines[i], kLength);
  if (shown < lines.size()) text += "\n... and " + std::to_string(lines.size() - shown) + " more lines";
  return text;
}

}  // namespace coterie
