// Checks on HTML for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coterie {

inline std::size_t count_of(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++count;
  return count;
}

inline bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

// Every element that is opened is closed, in the right order.
inline testing::AssertionResult is_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    std::size_t end = html.find('>', at);
    if (end == std::string::npos)
      return testing::AssertionFailure() << "a tag never ends: " << html.substr(at, 40);
    std::string tag = html.substr(at + 1, end - at - 1);
    std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (tag[0] == '!' || tag.back() == '/' || name == "meta") continue;
    if (tag[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return testing::AssertionFailure()
             << "<" << name << "> closes " << (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  if (!open.empty()) return testing::AssertionFailure() << "<" << open.back() << "> is never closed";
  return testing::AssertionSuccess();
}

}  // namespace coterie
