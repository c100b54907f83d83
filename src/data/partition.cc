// The default of partitions that cannot serve a generator.
#include "coterie/partition.h"

namespace coterie {

std::vector<std::size_t> Partition::sizes(std::size_t, std::optional<std::size_t>, Stream&) const {
  throw Error(
      "this partition needs a finite pool of samples, but the source makes samples without end; use iid or "
      "quantity (label skew of blobs is data.alpha)");
}

}  // namespace coterie
