// Cluster capture: all liars vote themselves into the smallest cluster that honest clients chose, and send it
// what they learnt for their own. A few liars of a large federation are many in a small cluster: no rule
// helps once they are its majority.
//
// They count the last votes of honest clients, so they are honest until there are some. Of clusters of one
// size they take the first.
#include <algorithm>

#include "coterie/attack.h"

namespace coterie {
namespace {

class ClusterCapture : public Attack {
 public:
  void options(Options&) override {}
  At at() const override { return At::votes; }
  std::optional<std::uint32_t> vote(std::span<const std::size_t> sizes) const override {
    std::optional<std::uint32_t> smallest;
    for (std::uint32_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] > 0 && (!smallest || sizes[k] < sizes[*smallest])) smallest = k;
    }
    return smallest;
  }
};

const Registration<Attack> kClusterCapture{"cluster-capture",
                                           "liars vote themselves into the smallest cluster",
                                           [] { return std::make_unique<ClusterCapture>(); }};

}  // namespace
}  // namespace coterie
