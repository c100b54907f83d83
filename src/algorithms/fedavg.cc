// FedAvg (McMahan et al., 2017): one model for everybody; clients train it on their own data and the server
// takes the mean.
//
// Choose it as the baseline that ignores clusters: where clients really differ, one model serves nobody well.
//
// With fine_tune = N, every client, asked or not so far, trains the final model for N more rounds by itself
// after the last averaging, and keeps what comes out as its own (personalisation by fine-tuning, e.g. Yu,
// Bagdasaryan and Shmatikov, 2020). A client without a usable result keeps the common model.
#include <limits>

#include "algorithms/known/method.h"

namespace coterie {
namespace {

struct TunedState {
  Numbers model;  // empty before the end
  void fields(Archive& a) { a(model); }
};

struct TuneNote {
  Items items;  // the final model
  std::uint32_t rounds = 1;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(rounds); });
  }
};

struct TuneReply {
  double largest = 0;  // none of its model's numbers is larger; NaN: some are not finite
  void fields(Archive& a) { a(largest); }
};

constexpr std::int64_t kMostFineTuning = 1000000;

const Job<TuneNote, TuneReply> kFineTune("fine-tune", [](const Shelf& shelf, const TuneNote& note,
                                                         ClientView& view) {
  view.expect_model(shelf[0]);
  if (note.rounds > kMostFineTuning) throw Error("it is asked to train for more rounds than there can be");
  Shared model = shelf[0];
  Vec momentum;  // its own: that of the averaging rounds belongs to another path
  for (std::uint32_t t = 0; t < note.rounds; ++t) {
    model = Shared::of(view.train(model, {.weights = {}, .momentum = &momentum}), view.precision());
  }
  auto& state = view.state<TunedState>();
  state.model = Numbers(model.values());
  return TuneReply{state.model.largest(std::numeric_limits<float>::max())};
});

class FedAvg : public KnownClustersMethod {
 public:
  FedAvg() : KnownClustersMethod(KnownClusters::one) {}

  void options(Options& o) override {
    o("fine_tune", &fine_tune_,
      "rounds of training by each client alone, from the final model; above 0 clients end with models of "
      "their own",
      between(0, kMostFineTuning));
  }
  bool personal() const override { return fine_tune_ > 0; }
  bool plans_ahead() const override { return personal(); }
  std::vector<const AnyJob*> jobs() const override {
    if (!personal()) return KnownClustersMethod::jobs();
    return {&train_job(), &kFineTune};
  }

  Vec settle(const Shelf& offer, ClientView& view) const override {
    return personal() ? Vec{1.0} : KnownClustersMethod::settle(offer, view);
  }
  Shared model_of(const Shelf& offer, const Vec& weights, ClientView& view) const override {
    return personal() ? held(offer, view) : KnownClustersMethod::model_of(offer, weights, view);
  }
  Predictions predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const override {
    if (!personal()) return KnownClustersMethod::predict(offer, weights, view, part);
    return predict_mixture({held(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    KnownClustersMethod::start(fleet, std::move(start));
    tuned_.assign(personal() ? fleet.clients() : 0, 0);
  }
  void round(Fleet& fleet, const Round& round) override {
    average_trained(fleet, round);
    if (!personal() || round.number != round.last) return;
    std::vector<ClientId> clients;
    for (const ClientId i : fleet.everyone()) {
      if (fleet.samples(i) > 0) clients.push_back(i);
    }
    auto note = [&](ClientId) { return TuneNote{Items::all(), static_cast<std::uint32_t>(fine_tune_)}; };
    const Shelf shelf(models_, fleet.precision());
    for (const ClientId i : fleet.ask(kFineTune, clients, shelf, note, {})) tuned_[i] = 1;
  }
  // One cluster, so that new clients can be served.
  std::vector<std::uint32_t> found_clusters() const override {
    return std::vector<std::uint32_t>(tuned_.size(), 0);
  }
  Items offer_items(ClientId client) const override {
    return client < tuned_.size() && tuned_[client] ? Items::none() : Items::all();
  }
  void fields(Archive& a) override {
    a(models_);
    if (personal()) a(tuned_);
  }

 private:
  static Shared held(const Shelf& shelf, ClientView& view) {
    auto& state = view.state<TunedState>();
    return state.model.size() == 0 ? shelf[0] : Shared::of(state.model, view.precision());
  }

  std::int64_t fine_tune_ = 0;
  std::vector<std::uint8_t> tuned_;  // who has a model of its own
};

const Registration<Algorithm> kFedAvg{"fedavg", "one model for everybody, the mean of what clients train",
                                      [] { return std::make_unique<FedAvg>(); }};

}  // namespace
}  // namespace coterie
