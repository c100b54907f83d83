// Who is like whom by what training changes, where nobody knows a radius: in a look all clients of a group
// tell what some rounds of training from one and the same model would change, and fall into parts by it
// (clustering/gap_parts.h). One gradient says mostly which labels a client has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clustering/gap_parts.h"
#include "coterie/data.h"
#include "coterie/detail/archive.h"
#include "coterie/random.h"

namespace coterie {

constexpr std::size_t kFewestInLook = 6;  // of fewer there are no parts, so that nobody need be asked

// The parts that changes fall into, of which the first `trainable` numbers count. Lengths do not matter.
GapParts parts_of_changes(std::span<const Numbers* const> changes, std::size_t trainable, Stream& stream);

// The last look of each client.
class Looks {
 public:
  Looks() = default;
  explicit Looks(std::size_t clients) : seen_(clients) {}

  // Whether these clients, ascending, were not all in one look of the last `every` rounds.
  bool due(std::span<const ClientId> members, std::uint32_t round, std::uint32_t every) const;
  // In a look of `round`, numbered among those of the round, the clients that answered fell into these parts.
  // Who was asked and did not answer is like nobody until the next.
  void found(std::span<const ClientId> asked, std::span<const ClientId> answered,
             std::span<const std::uint32_t> parts, std::uint32_t round, std::uint32_t number);
  bool alike(ClientId i, ClientId j) const;

  void fields(Archive& a) { a(seen_); }

 private:
  struct Seen {
    std::uint32_t round = 0;   // 0: never
    std::uint32_t number = 0;  // of the look in that round
    std::uint32_t part = 0;    // 0: it did not answer
    void fields(Archive& a) { a(round, number, part); }
  };
  bool together(ClientId i, ClientId j) const {
    return seen_[i].round == seen_[j].round && seen_[i].number == seen_[j].number;
  }
  std::vector<Seen> seen_;
};

}  // namespace coterie
