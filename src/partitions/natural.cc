// Every owner of samples in the data (a writer, a hospital, a phone) is a client.
//
// Choose it for real federated data. Clients come in the order of owners. When fewer are wanted than there
// are
// ([clients] count or `limit`), they are chosen at random. [clients] samples takes so many rows of each owner
// and leaves out owners with fewer.
#include <fmt/format.h>

#include <algorithm>

#include "coterie/partition.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Natural : public Partition {
 public:
  void options(Options& o) override {
    o("minimum", &minimum_, "owners with fewer samples are left out", at_least(1));
    o("limit", &limit_, "owners that take part at most, chosen at random; default: all", at_least(1));
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    Hands owned = eligible(request);
    if (request.clients > owned.size()) {
      throw Error(
          fmt::format("partition \"natural\": {} clients wanted, but only {} of {} owners have at least {} "
                      "samples; lower clients.count or partition minimum",
                      request.clients, owned.size(), request.owner_count, smallest(request)));
    }
    Hands hands;
    for (std::uint32_t owner : stream.sample(owned.size(), request.clients)) {
      std::vector<std::uint32_t>& rows = owned[owner];
      if (request.samples) {
        stream.shuffle(std::span(rows));
        rows.resize(*request.samples);
      }
      hands.push_back(std::move(rows));
    }
    return hands;
  }

  std::optional<std::size_t> client_count(const DealRequest& request) const override {
    const std::size_t count = eligible(request).size();
    return limit_ ? std::min(count, static_cast<std::size_t>(*limit_)) : count;
  }

  Exchange exchange() const override { return Exchange::nowhere; }

 private:
  std::size_t smallest(const DealRequest& request) const {
    return std::max(static_cast<std::size_t>(minimum_), request.samples.value_or(1));
  }

  // The rows of each owner that has enough of them.
  Hands eligible(const DealRequest& request) const {
    if (request.owners.empty()) {
      throw Error(
          "partition \"natural\" deals by owner, but the source names no owners of its samples; use another "
          "partition, or a source with owners");
    }
    Hands owned(request.owner_count);
    for (std::size_t row = 0; row < request.rows; ++row) {
      owned[request.owners[row]].push_back(static_cast<std::uint32_t>(row));
    }
    std::erase_if(owned,
                  [&](const std::vector<std::uint32_t>& rows) { return rows.size() < smallest(request); });
    if (owned.empty()) {
      throw Error(
          fmt::format("partition \"natural\": none of {} owners has at least {} samples; lower the minimum",
                      request.owner_count, smallest(request)));
    }
    return owned;
  }

  std::int64_t minimum_ = 1;
  std::optional<std::int64_t> limit_;
};

const Registration<Partition> kNatural{"natural", "by the owner of each sample",
                                       [] { return std::make_unique<Natural>(); }};

}  // namespace
}  // namespace coterie
