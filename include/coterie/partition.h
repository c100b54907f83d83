// A partition says how many samples each client has and, for a pool, which ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coterie/options.h"
#include "coterie/random.h"
#include "coterie/registry.h"
#include "coterie/source.h"

namespace coterie {

// What is dealt: rows 0 .. size-1 with a label each (empty for regression) and perhaps an owner.
struct DealRequest {
  std::size_t rows = 0;
  std::span<const double> labels;
  std::size_t classes = 0;
  std::span<const std::uint32_t> owners;
  std::size_t owner_count = 0;
  std::size_t clients = 0;
  std::optional<std::size_t> samples;  // [clients] samples: so many for each, where the partition allows it
  // A number of each row by name, NaN where missing: "target"; "mean" and "deviation" of its features; a
  // column of a table; or the number of a feature. Throws Error when there is none of the name. May be empty.
  std::function<Vec(const std::string& name)> property = {};
};

// Which rows may take the place of a client's own when data is dealt again ([data] redeal) and its
// distribution is to stay: any, those of the same class, or none.
enum class Exchange : std::uint8_t { anywhere, within_classes, nowhere };

class Partition {
 public:
  virtual ~Partition() = default;
  virtual void options(Options& o) = 0;
  // Row numbers for each client: disjoint; ascending order is not promised. Throws Error when it cannot be
  // done, with the numbers that show why.
  virtual std::vector<std::vector<std::uint32_t>> deal(const DealRequest& request, Stream& stream) const = 0;
  // Sizes for a generator that never runs out. Partitions that need a pool refuse.
  virtual std::vector<std::size_t> sizes(std::size_t clients, std::optional<std::size_t> samples,
                                         Stream& stream) const;
  // The number of clients when the partition itself decides it (natural owners, quantity lists). The
  // request's own number is not looked at; a generator's has no rows.
  virtual std::optional<std::size_t> client_count(const DealRequest&) const { return std::nullopt; }
  virtual Exchange exchange() const { return Exchange::within_classes; }
  // Whether clients stand for owners of the data; and whether for several each.
  virtual bool by_owner() const { return exchange() == Exchange::nowhere; }
  virtual bool mixes_owners() const { return false; }
  // Disjoint sets of classes that are true clusters of their own; client i holds rows of set i mod size().
  // Empty: the partition makes no clusters.
  virtual std::vector<std::vector<std::uint32_t>> class_sets(std::size_t classes) const {
    (void)classes;
    return {};
  }
};

}  // namespace coterie
