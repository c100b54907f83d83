// Clients of different sizes whose samples are otherwise alike.
//
// Choose it when the amount of data is what differs. Sizes are written out (sizes = ["900x10", "20x50"]: 900
// clients with 10 samples and 20 with 50), or follow a power law: the i-th largest client gets `minimum`
// samples and a share of the rest in proportion to i^-power. The rest is what is left of the pool, or of
// clients x [clients] samples, which is then the mean size.
#include <fmt/format.h>

#include <charconv>

#include "coterie/partition.h"
#include "data/deal.h"

namespace coterie {
namespace {

// "900x10" or "10" (one client); nothing when it reads otherwise.
struct Entry {
  std::size_t clients = 1;
  std::size_t samples = 0;
};
std::optional<Entry> parse(const std::string& text) {
  Entry entry;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, entry.samples);
  if (error == std::errc{} && stop != end && *stop == 'x') {
    entry.clients = entry.samples;
    const auto after = std::from_chars(stop + 1, end, entry.samples);
    stop = after.ptr;
    error = after.ec;
  }
  if (error != std::errc{} || stop != end || entry.clients == 0 || entry.samples == 0) return std::nullopt;
  return entry;
}

class Quantity : public Partition {
 public:
  void options(Options& o) override {
    o("sizes", &sizes_, "clients x samples, such as [\"900x10\", \"20x50\"]; empty: a power law");
    o("power", &power_, "exponent of the power law of sizes; 0 makes all equal", at_least(0));
    o("minimum", &minimum_, "samples that every client has at least under the power law", at_least(1));
    o("shuffle", &shuffle_,
      "whether sizes go to clients in random order, or in the order listed (largest first)");
    for (const std::string& text : sizes_) {
      o.require(parse(text).has_value(), "sizes",
                "\"" + text + "\" is not of the form \"900x10\" (clients x samples, both at least 1)");
    }
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    const std::vector<std::size_t> sizes = all_sizes(request.clients, request.samples, request.rows, stream);
    std::size_t total = 0;
    for (std::size_t size : sizes) total += size;
    if (total > request.rows) {
      throw Error(
          fmt::format("partition \"quantity\": the sizes of {} clients add up to {} rows, the pool has {}",
                      request.clients, total, request.rows));
    }
    return hand_out(request.rows, sizes, stream);
  }

  std::vector<std::size_t> sizes(std::size_t clients, std::optional<std::size_t> samples,
                                 Stream& stream) const override {
    if (sizes_.empty() && !samples) {
      throw Error(
          "clients.samples is not set, and the source makes samples without end; say how many each client "
          "has on "
          "average, or list the sizes of the partition \"quantity\"");
    }
    return all_sizes(clients, samples, 0, stream);
  }

  std::optional<std::size_t> client_count(const DealRequest&) const override {
    if (sizes_.empty()) return std::nullopt;
    return listed().size();
  }

  Exchange exchange() const override { return Exchange::anywhere; }

 private:
  std::vector<std::size_t> all_sizes(std::size_t clients, std::optional<std::size_t> samples,
                                     std::size_t rows, Stream& stream) const {
    std::vector<std::size_t> sizes = sizes_.empty()
                                         ? power_law_sizes(clients, samples ? clients * *samples : rows,
                                                           static_cast<std::size_t>(minimum_), power_)
                                         : listed();
    if (!sizes_.empty() && samples) {
      throw Error("partition \"quantity\" lists sizes, so clients.samples must be left out");
    }
    if (sizes.size() != clients) {
      throw Error(
          fmt::format("partition \"quantity\" lists the sizes of {} clients, but clients.count = {}; leave "
                      "clients.count out or make them equal",
                      sizes.size(), clients));
    }
    if (shuffle_) stream.shuffle(std::span(sizes));
    return sizes;
  }

  std::vector<std::size_t> listed() const {
    std::vector<std::size_t> sizes;
    for (const std::string& text : sizes_) {
      const std::optional<Entry> entry = parse(text);
      if (!entry) throw Error("partition \"quantity\": \"" + text + "\" is not of the form \"900x10\"");
      sizes.insert(sizes.end(), entry->clients, entry->samples);
    }
    return sizes;
  }

  std::vector<std::string> sizes_;
  double power_ = 1;
  std::int64_t minimum_ = 2;
  bool shuffle_ = true;
};

const Registration<Partition> kQuantity{"quantity", "different amounts of data: listed, or a power law",
                                        [] { return std::make_unique<Quantity>(); }};

}  // namespace
}  // namespace coterie
