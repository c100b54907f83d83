// IFCA (Ghosh et al., 2020, Algorithm 2): the server keeps K models; each client picks the one with the
// lowest loss on its own data, works on it, and says which it picked.
//
//   option I   (average = "gradients")   theta_j <- theta_j - gamma/m sum_{i in S_j} g_i
//   option II  (average = "models")      theta_j <- mean of the locally trained models of S_j
//
// Choose it when clients fall into a few clear groups and K is roughly known. It is sensitive to its start:
// from plain random models two groups may end up sharing one; prefer init = "restarts".
//
// Differs from the paper: a model that nobody picked stays as it is (option II divides by zero there; option
// I agrees). Sums may be weighted by samples; weights = "uniform" is the paper's.
#include <numeric>

#include "coterie/algorithm.h"

namespace coterie {
namespace {

struct IfcaNote {
  Items items;
  bool gradient = false;  // option I
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(gradient); });
  }
};

struct IfcaReply {
  std::uint32_t choice = 0;  // j-hat
  Vec update;                // the gradient at the chosen model, or the model trained from it
  void fields(Archive& a) { a(choice, update); }
};

IfcaReply update(const Shelf& shelf, const IfcaNote& note, ClientView& view, std::size_t choice) {
  auto k = static_cast<std::uint32_t>(choice);
  if (note.gradient) return {k, view.gradient(shelf[k])};
  // Each model has its own surviving momentum: a client that changes its mind starts that of the other
  // afresh.
  return {k, view.train(shelf[k], {.prox = 0, .centre = nullptr, .weights = {}, .slot = k})};
}

IfcaReply work(const Shelf& shelf, const IfcaNote& note, ClientView& view) {
  Vec losses(shelf.size());
  for (std::size_t k = 0; k < shelf.size(); ++k) losses[k] = view.mean_loss(shelf[k]);
  return update(shelf, note, view, lowest(losses));
}

// The rows of all clients in a block under each model at once: one large product for each model instead of
// many small ones. Returns clients x models.
template <class Real>
std::vector<Vec> losses_of_block(const Shelf& shelf, std::vector<ClientView>& views) {
  std::vector<Real> x;
  Vec y;
  for (ClientView& view : views) {
    Batch<Real> batch = view.batch<Real>(Part::train);
    x.insert(x.end(), batch.x.begin(), batch.x.end());
    y.insert(y.end(), batch.y.begin(), batch.y.end());
  }
  Batch<Real> stacked{y.size(), x.size() / y.size(), x, y, {}};
  std::vector<Vec> losses(views.size(), Vec(shelf.size()));
  Vec rows(y.size());
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    views[0].model().losses(shelf[k].as<Real>(), stacked, rows);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < views.size(); ++i) {
      std::size_t count = views[i].count(Part::train);
      losses[i][k] = mean(std::span(rows).subspan(begin, count));
      begin += count;
    }
  }
  return losses;
}

std::vector<IfcaReply> work_block(const std::vector<Shelf>& shelves, const std::vector<IfcaNote>& notes,
                                  std::vector<ClientView>& views) {
  // Every client of a round is sent all K models, so the first client's shelf is everybody's.
  std::vector<Vec> losses = views[0].precision() == Precision::f32
                                ? losses_of_block<float>(shelves[0], views)
                                : losses_of_block<double>(shelves[0], views);
  std::vector<IfcaReply> replies;
  for (std::size_t i = 0; i < views.size(); ++i) {
    replies.push_back(update(shelves[i], notes[i], views[i], lowest(losses[i])));
  }
  return replies;
}

const Job<IfcaNote, IfcaReply> kChooseAndWork("ifca", work, work_block);

class Ifca : public Algorithm {
 public:
  void options(Options& o) override {
    o.choice("average", average_, {"models", "gradients"}, "option II of the paper, or option I");
    o.choice(
        "divisor", divisor_, {"all", "cohort"},
        "option I divides a sum of gradients by the weight of all clients (the paper's m) or of those asked");
  }
  void prepare(const Setting& setting) override {
    Algorithm::prepare(setting);
    if (average_ == "gradients" && !setting.solver.plain()) {
      throw Error(
          "algorithm.ifca.average = \"gradients\" takes one step of size local.rate on the server: use "
          "local.solver = "
          "\"gd\" with steps = 1 and without momentum or weight decay");
    }
  }
  std::vector<const AnyJob*> jobs() const override { return {&kChooseAndWork}; }

  void start(Fleet&, Start start) override {
    models_ = std::move(start.models);
    empty_.assign(models_.size(), 0);
  }

  void round(Fleet& fleet, const Round& round) override {
    bool gradients = average_ == "gradients";
    auto slots = setting_->aggregate.slots(models_.size(), setting_->model.size(),
                                           total_weight(*setting_, fleet, round.cohort));
    IntoSlots<IfcaReply> fold(*slots, &IfcaReply::update, [&](ClientId i, const IfcaReply& reply) {
      return Share{reply.choice, client_weight(*setting_, fleet, i)};
    });
    auto note = [&](ClientId) { return IfcaNote{Items::all(), gradients}; };
    fleet.ask(kChooseAndWork, round.cohort, Shelf(models_, fleet.precision()), note, {&fold});
    if (gradients) {
      step(fleet, round, *slots);
    } else {
      for (std::size_t k = 0; k < models_.size(); ++k) models_[k] = slots->mean_or(k, models_[k]);
    }
    report_empty(fleet, *slots);
  }

  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_, empty_); }

 private:
  // Line 13 of Algorithm 2.
  void step(Fleet& fleet, const Round& round, const Slots& gradients) {
    std::vector<ClientId> all(fleet.clients());
    std::iota(all.begin(), all.end(), 0u);
    double divisor =
        total_weight(*setting_, fleet, divisor_ == "all" ? std::span<const ClientId>(all) : round.cohort);
    double rate = setting_->solver.rate(round.number);
    for (std::size_t k = 0; k < models_.size(); ++k) {
      std::optional<Vec> mean = gradients.mean(k);
      if (!mean) continue;
      double factor = rate * gradients.weight(k) / divisor;
      for (std::size_t j = 0; j < models_[k].size(); ++j) models_[k][j] -= factor * (*mean)[j];
    }
  }

  // Says once when a cluster loses its last client.
  void report_empty(Fleet& fleet, const Slots& slots) {
    for (std::size_t k = 0; k < models_.size(); ++k) {
      bool empty = slots.members(k) == 0;
      if (empty && !empty_[k]) {
        fleet.report(
            {0, "empty-cluster", {}, "nobody chose model " + std::to_string(k) + "; it stays as it is", {}});
      }
      empty_[k] = empty ? 1 : 0;
    }
  }

  std::string average_ = "models";
  std::string divisor_ = "all";
  std::vector<Vec> models_;
  std::vector<std::uint8_t> empty_;  // clusters that nobody chose in the last round
};

const Registration<Algorithm> kIfca{"ifca",
                                    "K models; each client trains the one with the lowest loss on its data",
                                    [] { return std::make_unique<Ifca>(); }};

}  // namespace
}  // namespace coterie
