// Handwritten digits, 8 x 8: 1,797 images with pixels 0 .. 16, part of the program, so that a first run needs
// no download.
//
// The test part of "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak, UCI Machine
// Learning Repository, 1998, https://doi.org/10.24432/C50P49, used under CC BY 4.0 (unchanged, as
// comma-separated values). There is no test part here: the federation holds out a share.
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>

#include "coterie/error.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/pool_population.h"

namespace coterie {

extern const unsigned char kDigitsFile[];
extern const std::size_t kDigitsFileSize;

namespace {

class Digits : public Source {
 public:
  void options(Options&) override {}

  std::unique_ptr<Population> open(const SourceContext&) const override {
    Pool pool;
    Samples& all = pool.train;
    all.shape = {
        .task = Task::classification, .width = 64, .classes = 10, .height = 8, .columns = 8, .channels = 1};
    all.scale = 1.0 / 16;
    std::vector<std::uint8_t> pixels;
    const std::string text = gunzip({kDigitsFile, kDigitsFileSize});
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end) {
      for (std::size_t field = 0; field <= all.shape.width; ++field) {
        unsigned value = 0;
        auto [stop, error] = std::from_chars(at, end, value);
        check(error == std::errc() && stop != end, "the embedded digits are damaged");
        at = stop + 1;
        if (field < all.shape.width) {
          pixels.push_back(static_cast<std::uint8_t>(value));
        } else {
          all.targets.push_back(value);
        }
      }
    }
    all.features = std::move(pixels);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }
};

const Registration<Source> kDigits{"digits", "1,797 real handwritten digits, 8 x 8, part of the program",
                                   [] { return std::make_unique<Digits>(); }};

}  // namespace
}  // namespace coterie
