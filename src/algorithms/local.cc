// Local training: every client keeps a model of its own and nothing is shared after the common start.
//
// Choose it as the baseline that wastes everybody else's data. Its models live in the clients' states (a
// file), so memory does not grow with their number.
#include <limits>

#include "coterie/algorithm.h"
#include "coterie/methods/slots.h"

namespace coterie {
namespace {

struct LocalState {
  Numbers model;  // empty before the first training
  void fields(Archive& a) { a(model); }
};

struct LocalNote {
  Items items;  // the common start, for clients that have no model yet
  void fields(Archive& a) { a(items); }
};

struct LocalReply {
  double largest = 0;  // none of its model's numbers is larger; NaN: some are not finite
  void fields(Archive& a) { a(largest); }
};

// The client's own model, or the common start when it has none yet.
Shared own_model(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<LocalState>();
  return state.model.size() == 0 ? shelf[0] : Shared::of(state.model, view.precision());
}

const Job<LocalNote, LocalReply> kTrainAlone("train-alone", [](const Shelf& shelf, const LocalNote&,
                                                               ClientView& view) {
  auto& state = view.state<LocalState>();
  state.model = view.train(own_model(shelf, view));
  return LocalReply{state.model.largest(std::numeric_limits<float>::max())};
});

class Local : public Algorithm {
 public:
  void options(Options&) override {}
  bool personal() const override { return true; }
  std::size_t start_models() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kTrainAlone}; }
  std::vector<std::string> warnings(const Fleet&) const override {
    if (setting_->aggregate.kind == "mean") return {};
    return {"aggregate.kind is not read: nothing is combined"};
  }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override {
    return own_model(offer, view);
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    return predict_mixture({own_model(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    has_model_.assign(fleet.clients(), 0);
  }
  void round(Fleet& fleet, const Round& round) override {
    Shelf shelf(models_, fleet.precision());
    auto note = [&](ClientId i) { return LocalNote{offer_items(i)}; };
    for (ClientId i : fleet.ask(kTrainAlone, round.cohort, shelf, note, {})) has_model_[i] = 1;
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    return client < has_model_.size() && has_model_[client] ? Items::none() : Items::all();
  }
  void fields(Archive& a) override { a(models_, has_model_); }

 private:
  std::vector<Vec> models_;  // the common start
  std::vector<std::uint8_t> has_model_;
};

const Registration<Algorithm> kLocal{"local", "every client trains alone",
                                     [] { return std::make_unique<Local>(); }};

}  // namespace
}  // namespace coterie
