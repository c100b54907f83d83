// The default: "restarts" with its own defaults where the method begins at random with several models, and
// "random" where it begins with one, knows its clusters, or gives every client a model of its own.
#include <fmt/format.h>

#include "coterie/algorithm.h"

namespace coterie {
namespace {

class Auto : public Init {
 public:
  void options(Options&) override {}
  std::vector<const AnyJob*> jobs() const override { return trials_->jobs(); }
  Start make(const InitContext& context) const override {
    if (!context.algorithm.begins_at_random()) return one_->make(context);
    return trials_->make(context);
  }

 private:
  std::unique_ptr<Init> one_ = Registry<Init>::instance().make("random");
  std::unique_ptr<Init> trials_ = Registry<Init>::instance().make("restarts");
};

const Registration<Init> kAuto{"auto",
                               "restarts for methods that begin at random with several models, else random",
                               [] { return std::make_unique<Auto>(); }};

}  // namespace
}  // namespace coterie
