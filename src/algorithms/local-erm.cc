// Local ERM: every client keeps the model that fits its own training rows best, and nothing is shared. One
// round, or as many as it takes until all were asked; a client that is asked again solves again.
//
// Choose it as the baseline of what a client can do alone (Local ERMs of ODCL, section 5); `local` instead
// trains as [local] says, round after round. A client that was never asked predicts with the common start.
#include <algorithm>

#include "coterie/methods/erm.h"

namespace coterie {
namespace {

struct LocalErmState {
  Vec model;  // empty before the first ask
  void fields(Archive& a) { a(model); }
};

struct LocalErmReply {
  double loss = 0;  // of the model over the training part
  bool converged = true;
  void fields(Archive& a) { a(loss, converged); }
};

// The client's own model, or the common start when it has none yet.
Shared held_model(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<LocalErmState>();
  return state.model.empty() ? shelf[0] : view.to_shared(state.model);
}

const Job<ErmNote, LocalErmReply> kFitAlone("fit-alone",
                                            [](const Shelf&, const ErmNote& note, ClientView& view) {
                                              Erm erm = local_erm(note, view);
                                              Shared own = view.to_shared(std::move(erm.model));
                                              view.state<LocalErmState>().model = own.values();
                                              return LocalErmReply{view.mean_loss(own), erm.converged};
                                            });

class LocalErm : public Algorithm {
 public:
  void options(Options& o) override { erm_.options(o); }
  bool personal() const override { return true; }
  bool trains() const override { return false; }
  bool uses_solver() const override { return erm_.solver == "local"; }
  std::vector<std::string> warnings(const Fleet& fleet) const override {
    return local_erm_warnings(fleet, *setting_, erm_);
  }
  std::size_t start_models() const override { return 1; }
  std::vector<const AnyJob*> jobs() const override { return {&kFitAlone}; }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override {
    return held_model(offer, view);
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    return predict_mixture({held_model(offer, view)}, {1.0}, view, part);
  }

  void start(Fleet& fleet, Start start) override {
    models_ = std::move(start.models);
    has_model_.assign(fleet.clients(), 0);
    finished_ = false;
  }
  void round(Fleet& fleet, const Round& round) override {
    Collect<LocalErmReply, std::uint8_t> converged([](LocalErmReply& reply) { return reply.converged; });
    const ErmNote note = erm_note(*setting_, erm_);
    fleet.ask(kFitAlone, round.cohort, Shelf(), [&](ClientId) { return note; }, {&converged});
    std::size_t stopped = 0;
    for (const auto& [client, met] : converged.items) {
      has_model_[client] = 1;
      stopped += met ? 0 : 1;
    }
    report_inexact(fleet, stopped, converged.items.size());
    const bool all = std::find(has_model_.begin(), has_model_.end(), 0) == has_model_.end();
    finished_ = asks_everyone(fleet, *setting_, round) || (all && !setting_->redealt);
  }
  bool finished() const override { return finished_; }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    return client < has_model_.size() && has_model_[client] ? Items::none() : Items::all();
  }
  void fields(Archive& a) override { a(models_, has_model_, finished_); }

 private:
  ErmOptions erm_;
  std::vector<Vec> models_;  // the common start
  std::vector<std::uint8_t> has_model_;
  bool finished_ = false;
};

const Registration<Algorithm> kLocalErm{"local-erm",
                                        "every client keeps the model that fits its own data best",
                                        [] { return std::make_unique<LocalErm>(); }};

}  // namespace
}  // namespace coterie
