// Ditto (Li et al., 2021): FedAvg for everybody, and at each client a model of its own that is pulled towards
// the common one,
//
//   min over v_i   f_i(v_i) + lambda/2 |v_i - w|^2
//
// trained in the same turn, from where it was, with w as the client received it.
//
// Choose it when clients are alike but for small differences: it lies between `local` (lambda = 0) and
// `fedavg` (large lambda). Where clusters pull the common model apart, that model is a bad anchor.
//
// `learn = "nothing"` is what the authors of Federated-Clustering ran: in their code the common model never
// moves, and own models are pulled to it after their step, outside of its momentum,
//
//   v_i <- v_i + c_i - rate lambda (v_i - w)
//
// where c_i is what plain training changes v_i by.
//
// A client that was never asked predicts with the common model.
#include "coterie/algorithm.h"

namespace coterie {
namespace {

struct DittoState {
  Vec model;  // v_i; empty before the first turn
  void fields(Archive& a) { a(model); }
};

struct DittoNote {
  Items items;
  double lambda = 1;
  bool stays = false;  // the common model
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(lambda, stays); });
  }
};

// The client's own model, or the common one when it has none yet.
Shared held_by(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<DittoState>();
  return state.model.empty() ? shelf[0] : view.share(state.model);
}

TrainReply train_own(const Shelf& shelf, double lambda, ClientView& view) {
  const Shared own = held_by(shelf, view);
  const std::span<const double> common = shelf[0].values();
  Vec trained = view.train(own);
  const double pull = view.solver().rate(view.round()) * lambda;
  for (std::size_t j = 0; j < trained.size(); ++j) trained[j] -= pull * (own.values()[j] - common[j]);
  view.state<DittoState>().model = std::move(trained);
  return {Vec(common.begin(), common.end())};
}

const Job<DittoNote, TrainReply> kTrainBoth("ditto", [](const Shelf& shelf, const DittoNote& note,
                                                        ClientView& view) {
  if (note.stays) return train_own(shelf, note.lambda, view);
  auto& state = view.state<DittoState>();
  const Shared common = shelf[0];
  // Each of the two has its own surviving momentum.
  TrainReply reply{view.train(common)};
  const Shared own = held_by(shelf, view);
  state.model = view.train(own, {.prox = note.lambda, .centre = &common, .weights = {}, .slot = 1});
  return reply;
});

class Ditto : public Algorithm {
 public:
  void options(Options& o) override {
    o("lambda", &lambda_, "pull of a client's own model towards the common one", at_least(0));
    o.choice("learn", learn_, {"common", "nothing"},
             "the common model is trained by the clients, or stays as it began");
  }
  bool personal() const override { return true; }
  std::size_t starts() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kTrainBoth}; }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override {
    return held_by(offer, view);
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    return predict_mixture({held_by(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    has_model_.assign(fleet.clients(), 0);
  }
  void round(Fleet& fleet, const Round& round) override {
    auto means =
        setting_->aggregate.slots(1, setting_->model.size(), total_weight(*setting_, fleet, round.cohort));
    IntoSlots<TrainReply> fold(*means, &TrainReply::model, [&](ClientId i, const TrainReply&) {
      return Share{0, client_weight(*setting_, fleet, i)};
    });
    auto note = [&](ClientId) { return DittoNote{Items::all(), lambda_, learn_ == "nothing"}; };
    const Shelf shelf(models_, fleet.precision());
    for (const ClientId i : fleet.ask(kTrainBoth, round.cohort, shelf, note, {&fold})) has_model_[i] = 1;
    if (learn_ == "common") models_[0] = means->mean_or(0, models_[0]);
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    return client < has_model_.size() && has_model_[client] ? Items::none() : Items::all();
  }
  void fields(Archive& a) override { a(models_, has_model_); }

 private:
  double lambda_ = 1;
  std::string learn_ = "common";
  std::vector<Vec> models_;  // the common one
  std::vector<std::uint8_t> has_model_;
};

const Registration<Algorithm> kDitto{"ditto", "fedavg, and a model for each client that is pulled towards it",
                                     [] { return std::make_unique<Ditto>(); }};

}  // namespace
}  // namespace coterie
