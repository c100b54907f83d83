// Numbers of groups that are found anew from time to time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// A new number for each of `groups` groups: the one under which most of its items were known before. Where
// two groups want the same number it goes to the one with more such items, the first of equals; the rest take
// what is left, in order. `before` and `now` have the group of each item, or `none`. Numbers stay below
// `groups`, so a group that was numbered higher gets another.
std::vector<std::uint32_t> renumbered(std::span<const std::uint32_t> before,
                                      std::span<const std::uint32_t> now, std::size_t groups,
                                      std::uint32_t none);

}  // namespace coterie
