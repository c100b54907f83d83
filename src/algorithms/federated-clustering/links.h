// Groups of clients from what each round says of some pairs: two are linked when each was found to be like
// the other when they last met, as long as that was the last turn of at least one of them. What is connected
// is a group.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coterie/detail/archive.h"

namespace coterie {

class Links {
 public:
  Links() = default;
  explicit Links(std::size_t clients) : last_turn_(clients, 0) {}

  // (client, one who is like it) of a round, ascending; a link takes both directions.
  void found(std::span<const std::pair<ClientId, ClientId>> alike, std::uint32_t round);
  // These clients have had their turn, so what they were found to be before counts no more.
  void end_turn(std::span<const ClientId> cohort, std::uint32_t round);
  // Of each client, numbered in the order of their first members.
  std::vector<std::uint32_t> groups() const;

  void fields(Archive& a) { a(last_turn_, links_); }

 private:
  struct Link {
    ClientId a = 0;
    ClientId b = 0;
    std::uint32_t round = 0;
    void fields(Archive& archive) { archive(a, b, round); }
  };

  std::vector<std::uint32_t> last_turn_;  // of each client; 0: none yet
  std::vector<Link> links_;
};

}  // namespace coterie
