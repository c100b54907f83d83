// Methods that stand on another's objective and weights (`backbone`).
#pragma once

#include <string>
#include <utility>

#include "algorithms/tiers/program.h"

namespace coterie {

class OnBackbone : public Tiered {
 public:
  void options(Options& o) override {
    o.choice("backbone", backbone_, {"fedem", "fedrc", "fesem", "fedsoft"},
             "the method whose objective and weights it takes");
    // A default that depends on the backbone is set once, when the backbone is read.
    if (backbone_ == "fedsoft" && !pulled_) options_.prox = 0.1;
    pulled_ = backbone_ == "fedsoft";
    Tiered::options(o);
  }

 protected:
  OnBackbone(std::string name, TierChoice choice, TierOptions options, std::string backbone)
      : Tiered(std::move(name), std::move(choice), std::move(options)), backbone_(std::move(backbone)) {}

  std::string backbone_;

 private:
  bool pulled_ = false;
};

}  // namespace coterie
