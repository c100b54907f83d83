#include "fleet/dealt.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/text.h"

namespace coterie {
namespace {

// What a client costs besides its samples, in samples: orders, replies, books.
constexpr std::uint64_t kEach = 4;

}  // namespace

Dealt::Dealt(const Roster& roster, std::int64_t block, unsigned ranks)
    : block_(static_cast<ClientId>(block)),
      ranks_((roster.size() + static_cast<std::size_t>(block) - 1) / static_cast<std::size_t>(block)) {
  if (ranks > UINT16_MAX) throw Error(counted(ranks, "rank") + " are more than coterie can deal clients to");
  if (ranks == 1) return;
  // Clients that train, and those that only judge, are dealt apart: each kind is asked by itself.
  std::vector<std::uint64_t> costs(ranks_.size(), 0);
  for (ClientId client = 0; client < roster.size(); ++client) {
    const ClientInfo info = roster.info(client);
    costs[client / block_] += kEach + info.train + (info.role == Role::train ? 0 : info.test);
  }
  const std::size_t training = (roster.training() + block_ - 1) / block_;
  const auto deal = [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> order(end - begin);
    std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(begin));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return costs[a] > costs[b]; });
    using Load = std::pair<std::uint64_t, std::uint16_t>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (unsigned rank = 0; rank < ranks; ++rank) loads.emplace(0, static_cast<std::uint16_t>(rank));
    for (const std::uint32_t one : order) {
      Load least = loads.top();
      loads.pop();
      ranks_[one] = least.second;
      least.first += costs[one];
      loads.push(least);
    }
  };
  deal(0, training);
  deal(training, ranks_.size());
}

}  // namespace coterie
