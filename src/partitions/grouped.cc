// Several owners of samples make up a client: a clinic has patients, a school has writers.
//
// Choose it when owners are too small to be clients of their own, or to see what is lost when clients are
// mixtures. Owners come in random order, `per_client` to each; with [clients] count they are shared out
// evenly among so many clients. A client is called after its first owner, "f0000_14 + 4".
#include <fmt/format.h>

#include <algorithm>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Grouped : public Partition {
 public:
  void options(Options& o) override {
    o("per_client", &per_client_,
      "owners that make up a client, unless clients.count says how many clients there are", at_least(1));
    o("minimum", &minimum_, "owners with fewer samples are left out", at_least(1));
    o.choice("order", order_, {"random", "listed"}, "owners as they come in the data, or in random order");
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    Hands owned = eligible(request);
    if (request.clients > owned.size()) {
      throw Error(
          fmt::format("partition \"grouped\": {} clients wanted, but only {} of {} owners have at least {} "
                      "samples; lower "
                      "clients.count or partition minimum",
                      request.clients, owned.size(), request.owner_count, minimum_));
    }
    if (order_ == "random") stream.shuffle(std::span(owned));
    Hands hands(request.clients);
    for (std::size_t i = 0; i < request.clients; ++i) {
      for (std::size_t k = even_start(owned.size(), request.clients, i);
           k < even_start(owned.size(), request.clients, i + 1); ++k) {
        hands[i].insert(hands[i].end(), owned[k].begin(), owned[k].end());
      }
      if (!request.samples) continue;
      if (hands[i].size() < *request.samples) {
        throw Error(
            fmt::format("partition \"grouped\": clients.samples = {}, but the owners of client {} have {} "
                        "samples together; ask for "
                        "fewer samples or clients",
                        *request.samples, i, hands[i].size()));
      }
      stream.shuffle(std::span(hands[i]));
      hands[i].resize(*request.samples);
    }
    return hands;
  }

  std::optional<std::size_t> client_count(const DealRequest& request) const override {
    const std::size_t owners = eligible(request).size(), each = static_cast<std::size_t>(per_client_);
    return std::max<std::size_t>(1, owners / each + (owners % each > 0 ? 1 : 0));
  }

  Exchange exchange() const override { return Exchange::nowhere; }
  bool mixes_owners() const override { return true; }

 private:
  Hands eligible(const DealRequest& request) const {
    if (request.owners.empty()) {
      throw Error(
          "partition \"grouped\" deals by owner, but the source names no owners of its samples; use another "
          "partition, "
          "or a source with owners");
    }
    Hands owned(request.owner_count);
    for (std::size_t row = 0; row < request.rows; ++row)
      owned[request.owners[row]].push_back(static_cast<std::uint32_t>(row));
    std::erase_if(owned, [&](const std::vector<std::uint32_t>& rows) {
      return rows.empty() || rows.size() < static_cast<std::size_t>(minimum_);
    });
    if (owned.empty()) {
      throw Error(
          fmt::format("partition \"grouped\": none of {} owners has at least {} samples; lower the minimum",
                      request.owner_count, minimum_));
    }
    return owned;
  }

  std::int64_t per_client_ = 2;
  std::int64_t minimum_ = 1;
  std::string order_ = "random";
};

const Registration<Partition> kGrouped{"grouped", "several owners of samples make up a client",
                                       [] { return std::make_unique<Grouped>(); }};

}  // namespace
}  // namespace coterie
