// A random deal: every client's samples look like the whole.
//
// Choose it when clients should differ by their shift alone. Sizes differ by at most one, or are [clients]
// samples.
#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Iid : public Partition {
 public:
  void options(Options&) override {}

  Hands deal(const DealRequest& request, Stream& stream) const override {
    require_rows(request.clients, request.samples.value_or(1), request.rows);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < request.clients; ++i) {
      sizes.push_back(request.samples ? *request.samples
                                      : even_start(request.rows, request.clients, i + 1) -
                                            even_start(request.rows, request.clients, i));
    }
    return hand_out(request.rows, sizes, stream);
  }

  std::vector<std::size_t> sizes(std::size_t clients, std::optional<std::size_t> samples,
                                 Stream&) const override {
    if (!samples) {
      throw Error(
          "clients.samples is not set, and the source makes samples without end; say how many each client "
          "has");
    }
    return std::vector<std::size_t>(clients, *samples);
  }

  Exchange exchange() const override { return Exchange::anywhere; }
};

const Registration<Partition> kIid{"iid", "a random deal of equal sizes",
                                   [] { return std::make_unique<Iid>(); }};

}  // namespace
}  // namespace coterie
