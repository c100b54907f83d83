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
#include "coterie/choose.h"

namespace coterie {
namespace {

struct IfcaNote {
  Items items;
  std::uint32_t guess = 0;  // the model it chose last
  bool gradient = false;    // option I
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(guess, gradient); });
  }
};

struct IfcaReply {
  std::uint32_t choice = 0;  // j-hat
  Numbers update;            // the gradient at the chosen model, or the model trained from it
  void fields(Archive& a) { a(choice, update); }
};

std::vector<IfcaReply> work_block(std::span<const Shelf> shelves, std::span<const IfcaNote> notes,
                                  std::span<ClientView> views) {
  std::vector<std::uint32_t> guesses;
  for (const IfcaNote& note : notes) guesses.push_back(note.guess);
  const std::vector<Choice> choices = choose(views, shelves, guesses);
  std::vector<IfcaReply> replies;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::uint32_t k = choices[i].model;
    const Shared& model = shelves[i][k];
    // Each model has its own surviving momentum: a client that changes its mind starts that of the other
    // afresh.
    replies.push_back(
        {k, notes[i].gradient
                ? views[i].gradient(model)
                : views[i].train(model, {.prox = 0, .centre = nullptr, .weights = {}, .slot = k})});
  }
  return replies;
}

IfcaReply work(const Shelf& shelf, const IfcaNote& note, ClientView& view) {
  return std::move(work_block({&shelf, 1}, {&note, 1}, {&view, 1})[0]);
}

const Job<IfcaNote, IfcaReply> kChooseAndWork("ifca", work,
                                              [](const std::vector<Shelf>& shelves,
                                                 const std::vector<IfcaNote>& notes,
                                                 std::vector<ClientView>& views) {
                                                return work_block(shelves, notes, views);
                                              });

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
    choices_.resize(fleet.clients(), 0);
    Collect<IfcaReply, std::uint32_t> chosen([](IfcaReply& reply) { return reply.choice; });
    IntoSlots<IfcaReply> fold(*slots, &IfcaReply::update, [&](ClientId i, const IfcaReply& reply) {
      return Share{reply.choice, client_weight(*setting_, fleet, i)};
    });
    auto note = [&](ClientId i) { return IfcaNote{Items::all(), choices_[i], gradients}; };
    fleet.ask(kChooseAndWork, round.cohort, Shelf(models_, fleet.precision()), note, {&fold, &chosen});
    for (const auto& [client, choice] : chosen.items) choices_[client] = choice;
    if (gradients) {
      step(fleet, round, *slots);
    } else {
      for (std::size_t k = 0; k < models_.size(); ++k) models_[k] = slots->mean_or(k, models_[k]);
    }
    report_empty(fleet, *slots);
  }

  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_, empty_, choices_); }

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
  std::vector<std::uint32_t> choices_;  // last choice of each client
  std::vector<std::uint8_t> empty_;     // clusters that nobody chose in the last round
};

const Registration<Algorithm> kIfca{"ifca",
                                    "K models; each client trains the one with the lowest loss on its data",
                                    [] { return std::make_unique<Ifca>(); }};

}  // namespace
}  // namespace coterie
