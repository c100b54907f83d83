// The skeleton of an algorithm: the clients' own models, and a server that keeps the one whose client has the
// lowest loss. Copy it to src/algorithms/NAME.cc, change the names "skeleton" and "skeleton-best" (at the
// end, and where the job is made) to your own, and write tests/algorithms/NAME_test.cc.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

// --- what travels
// ---------------------------------------------------------------------------------------------
struct BestNote {
  Items items;  // which vectors of the shelf the client is sent
  void fields(Archive& a) { a(items); }
};
struct BestReply {
  Vec model;
  double loss = 0;
  void fields(Archive& a) { a(model, loss); }
};

// --- the client half
// ------------------------------------------------------------------------------------------
const Job<BestNote, BestReply> kTrainAndTell("skeleton-best", [](const Shelf& shelf, const BestNote&,
                                                                 ClientView& view) {
  return BestReply{view.train(shelf[0]), view.mean_loss(shelf[0])};
});

// --- the server half
// ------------------------------------------------------------------------------------------
class Best : public Algorithm {
 public:
  void options(Options& o) override {
    o("patience", &patience_, "rounds without news before it is finished", at_least(1));
  }
  std::size_t start_models() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kTrainAndTell}; }

  void start(Fleet&, Start start) override { model_ = std::move(start.models[0]); }
  void round(Fleet& fleet, const Round& round) override {
    Collect<BestReply, BestReply> replies([](BestReply& reply) { return std::move(reply); });
    fleet.ask(kTrainAndTell, round.cohort, Shelf({model_}, fleet.precision()),
              [](auto) { return BestNote{}; }, {&replies});
    const BestReply* best = nullptr;
    for (const auto& [client, reply] : replies.items) {
      if (best == nullptr || reply.loss < best->loss) best = &reply;
    }
    quiet_ = best == nullptr || best->model == model_ ? quiet_ + 1 : 0;
    if (best != nullptr) model_ = best->model;
  }
  bool finished() const override { return quiet_ >= patience_; }
  Offer offer() const override { return {{model_}}; }
  void fields(Archive& a) override { a(model_, quiet_); }

 private:
  std::int64_t patience_ = 10;
  Vec model_;
  std::int64_t quiet_ = 0;
};

const Registration<Algorithm> kBest{"skeleton", "the model of the client with the lowest loss",
                                    [] { return std::make_unique<Best>(); }};

}  // namespace
}  // namespace coterie
