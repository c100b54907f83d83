// The text of an error that a test expects.
#pragma once

#include <string>

namespace coterie {

// What a call throws as an E, or "" when it throws none.
template <class E, class F>
std::string error_text(F&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace coterie
