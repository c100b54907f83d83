// Memory that a thread keeps from call to call, so that loops over clients and batches do not allocate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace coterie {

// Room for `count` numbers of this thread; contents are left over from the last use. Each use has a Tag type
// of its own, and holds the span no longer than until it asks again with the same Tag.
template <class Real, class Tag>
std::span<Real> scratch(std::size_t count) {
  static thread_local std::vector<Real> room;
  if (room.size() < count) room.resize(count);
  return {room.data(), count};
}

}  // namespace coterie
