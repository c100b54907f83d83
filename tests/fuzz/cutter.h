// Cuts an input into the parts that a target needs. What is not there is zero or empty.
#pragma once

#include <algorithm>
#include <string>

#include "fuzz/targets.h"

namespace coterie::fuzz {

class Cutter {
 public:
  explicit Cutter(Input input) : left_(input) {}

  bool empty() const { return left_.empty(); }
  unsigned byte() { return left_.empty() ? 0 : static_cast<unsigned>(take(1)[0]); }
  Input take(std::size_t count) {
    const Input part = left_.first(std::min(count, left_.size()));
    left_ = left_.subspan(part.size());
    return part;
  }
  // A part with its length in front, in two bytes.
  Input part() {
    const unsigned low = byte();
    return take(low + 256 * byte());
  }
  // Up to the end of the line, which is dropped.
  std::string line() {
    const auto end = std::find(left_.begin(), left_.end(), std::byte{'\n'});
    const std::string text = string_of(take(static_cast<std::size_t>(end - left_.begin())));
    take(1);
    return text;
  }
  Input rest() { return take(left_.size()); }

  static std::string string_of(Input bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  Input left_;
};

}  // namespace coterie::fuzz
