// Rows sorted by class, cut into equal shards, and a few random shards for each client: the pathological
// split of McMahan et al. (2017), where 100 clients have two shards of 300 digits each.
//
// Choose it to compare with results on that split. Unlike "classes" it does not promise how many classes a
// client has: most have at most `per_client`, some one more, where a shard crosses from one class to the
// next. [clients] samples takes so many rows of a client's shards, evenly.
#include <fmt/format.h>

#include <numeric>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class ShardsOfClasses : public Partition {
 public:
  void options(Options& o) override {
    o("per_client", &per_client_, "shards that each client has", between(1, 1e6));
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    const auto each = static_cast<std::size_t>(per_client_);
    require_rows(request.clients, each, request.rows);
    std::vector<std::uint32_t> sorted;
    for (const std::vector<std::uint32_t>& rows : rows_by_class(request, "shards", stream))
      sorted.insert(sorted.end(), rows.begin(), rows.end());
    const std::size_t count = request.clients * each;
    if (request.samples) check_samples(request, each, count);

    const std::vector<std::uint32_t> order = stream.permutation(count);
    Hands hands(request.clients);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = even_start(sorted.size(), count, order[i]);
      std::size_t size = even_start(sorted.size(), count, order[i] + 1) - begin;
      const std::size_t place = i % each;
      if (request.samples)
        size = even_start(*request.samples, each, place + 1) - even_start(*request.samples, each, place);
      const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(begin);
      std::vector<std::uint32_t>& hand = hands[i / each];
      hand.insert(hand.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    return hands;
  }

 private:
  static void check_samples(const DealRequest& request, std::size_t each, std::size_t count) {
    const std::size_t wanted = (*request.samples + each - 1) / each, has = request.rows / count;
    if (wanted <= has) return;
    throw Error(fmt::format(
        "partition \"shards\": clients.samples = {} needs shards of {} rows, but {} shards of {} rows have "
        "{}; ask for fewer samples or clients",
        *request.samples, wanted, count, request.rows, has));
  }

  std::int64_t per_client_ = 2;
};

const Registration<Partition> kShards{"shards", "sorted by class and cut into shards, a few for each client",
                                      [] { return std::make_unique<ShardsOfClasses>(); }};

}  // namespace
}  // namespace coterie
