#include "run/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adversary/attacked_fleet.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/fingerprint.h"
#include "fleet/agreement.h"
#include "fleet/client_program.h"
#include "fleet/columns.h"
#include "run/in_common.h"

namespace coterie {
namespace {

std::string only_clients(std::size_t count) {
  return (count == 1 ? "is only " : "are only ") + counted(count, "client");
}

// Models that are offered to everybody, and nothing else.
class FixedOffer : public Algorithm {
 public:
  explicit FixedOffer(std::vector<Vec> models) : models_(std::move(models)) {}
  void options(Options&) override {}
  std::vector<const AnyJob*> jobs() const override { return {}; }
  void start(Fleet&, Start) override {}
  void round(Fleet&, const Round&) override {}
  Offer offer() const override { return {models_}; }
  void fields(Archive&) override {}

 private:
  std::vector<Vec> models_;
};

// A table's column may be taken for classes or for numbers: an error of the model says how to change that.
void bind_model(const Config& config, const Roster& roster, std::uint64_t seed) {
  try {
    config.model->bind(roster.shape(), seed);
  } catch (const Error& e) {
    if (roster.table() == nullptr) throw;
    bool classes = roster.shape().task == Task::classification;
    throw Error(fmt::format("{}; the column \"{}\" is read as {}; to change that, set data.task = \"{}\"",
                            e.what(), roster.table()->target, classes ? "classes" : "numbers to predict",
                            classes ? "regression" : "classification"));
  }
}

// In place of data that clients hold elsewhere.
class NoShards : public Shards {
 public:
  std::shared_ptr<const Samples> samples(ClientId, Part, std::uint32_t) const override {
    throw Error("the clients hold their data elsewhere");
  }
};
const NoShards kNoShards;

// What the server keeps for each cluster: its model, the sums of its clients' models, and what goes down; and
// for each client its weights over the clusters.
void check_sizes(const Config& config, std::size_t clients) {
  constexpr double kCopies = 3;
  const auto clusters = static_cast<double>(config.clusters.count);
  const auto size = static_cast<double>(config.model->size());
  check_memory(kCopies * sizeof(double) * clusters * size, config.fleet.memory,
               fmt::format("clusters.count = {} with a model of {}", config.clusters.count,
                           counted(config.model->size(), "parameter")),
               "use fewer clusters or a smaller model");
  check_memory(sizeof(double) * clusters * static_cast<double>(clients), config.fleet.memory,
               fmt::format("clusters.count = {} with {}", config.clusters.count, counted(clients, "client")),
               "use fewer clusters");
}

// Attacks, and methods that are told the truth, are for simulations.
void refuse_simulation(const Config& config) {
  if (config.attack.any()) throw Error("attack: liars are for simulations; leave [attack] out");
  if (config.algorithm->needs_truth() || config.init->needs_truth())
    throw Error(fmt::format("{} is told the true clusters, which nobody knows of clients that join",
                            config.algorithm->needs_truth() ? config.algorithm_kind : config.clusters.init));
  if (config.federation.data.redeal != "never")
    throw Error("data.redeal: clients that join hold the samples that they have; use redeal = \"never\"");
}

}  // namespace

Session::Session(const Config& config, const std::string& data_folder, unsigned threads,
                 const std::string& state_folder, std::shared_ptr<const Federation> federation,
                 ElsewhereRun elsewhere)
    : config_(config), federation_(std::move(federation)), elsewhere_(std::move(elsewhere)) {
  try {
    auto seed = static_cast<std::uint64_t>(config.seed);
    std::shared_ptr<Federation> fresh;
    JoinedRoster* joined = elsewhere_.roster.get();
    if (joined != nullptr) {
      refuse_simulation(config);
      config.fleet_kind->reach(*elsewhere_.clients);
    } else if (federation_ == nullptr) {
      together(ranks(), [&] {
        federation_ = fresh = build_federation(config.federation,
                                               {data_folder, seed, config.folder, config.fleet.memory}, seed);
      });
    }
    roster_ = joined != nullptr ? static_cast<const Roster*>(joined) : federation_.get();
    if (federation_ != nullptr) check_same_data(ranks(), *roster_);
    std::size_t clients = roster_->training();
    if (config.rounds.cohort && static_cast<std::size_t>(*config.rounds.cohort) > clients) {
      throw Error(fmt::format("rounds.cohort = {}: there {}", *config.rounds.cohort, only_clients(clients)));
    }
    bind_model(config, *roster_, seed);
    check_sizes(config, clients);
    liars_ = config.attack.choose(clients, seed);
    if (!liars_.empty() && config.attack.attack->at() == Attack::At::data) {
      poisoned_ = std::make_unique<PoisonedShards>(*federation_, config.attack, liars_);
    }
    const bool redealt = config.federation.data.redeal != "never";
    setting_ = std::make_unique<Setting>(Setting{*config.model,
                                                 *config.solver,
                                                 config.aggregate,
                                                 static_cast<std::size_t>(config.clusters.count),
                                                 seed,
                                                 config.precision(),
                                                 {},
                                                 redealt});
    if (config.algorithm->needs_truth()) setting_->truth = true_clusters();
    config.algorithm->prepare(*setting_);
    check_attack(config.attack, config.algorithm_kind, config.algorithm->jobs(), roster_->shape());
    program_text_ = config.text();
    Agreement agreement =
        elsewhere_.agreed ? Agreement::read(*elsewhere_.agreed) : Agreement::of(*roster_, redealt);
    agreement.cut = elsewhere_.cut;
    const Shards& at_hand = federation_ ? static_cast<const Shards&>(*federation_) : kNoShards;
    const auto make_fleet = [&](const Shards& shards, const std::string& states) {
      agreement_text_ = agreement.text();
      return config.fleet_kind->make(
          {*roster_, shards, std::make_shared<ClientProgram>(program_text_, agreement_text_, elsewhere_.life),
           program_text_, agreement_text_, config.fleet, threads, states, elsewhere_.life,
           joined != nullptr ? joined->classes() : std::vector<std::string>{}});
    };
    Traffic spent;
    if ((fresh != nullptr || joined != nullptr) && agreement.table && agreement.table->draft) {
      const std::unique_ptr<Fleet> draft = make_fleet(at_hand, "");
      agreement.table = agree_on_columns(*draft, *agreement.table, agreement.shape.task);
      if (fresh != nullptr) fresh->agree(*agreement.table);
      spent = draft->traffic();
      agreeing_ = draft->take_events();
    }
    // What clients remember of a table is kept at the end by every rank, from the rows (run/handover.cc).
    const bool remembers =
        config.algorithm->keeps() == Algorithm::Keeps::samples && roster_->table() != nullptr;
    if (fresh != nullptr && !remembers) {
      if (const auto resident = config.fleet_kind->residents(*federation_, config.fleet)) {
        fresh->keep_only(resident);
      }
    }
    if (joined != nullptr && agreement.table) joined->agree(*agreement.table);
    const Shards& met = poisoned_ ? static_cast<const Shards&>(*poisoned_) : at_hand;  // by clients
    if (must_agree_on_rate() && agreement.rate) {
      config.solver->agree_rate(*agreement.rate, agreement.gradient_rate.value_or(*agreement.rate));
    } else if (must_agree_on_rate()) {
      // Clients that have no rate yet, and keep nothing.
      const std::unique_ptr<Fleet> draft = make_fleet(met, "");
      draft->begin_round(1);
      if (poisoned_) poisoned_->starting(true);
      const std::optional<std::size_t> rows = config.algorithm->steps_on_gradients();
      rate_ = find_rate(*draft, *setting_, rows);
      if (poisoned_) poisoned_->starting(false);
      agreement.rate = rate_->rate;
      if (rows) agreement.gradient_rate = rate_->of_gradient;
      config.solver->agree_rate(rate_->rate, rate_->of_gradient);
      spent.overhead += draft->traffic().eval + draft->traffic().overhead;
    }
    fleet_ = make_fleet(met, state_folder);
    fleet_->traffic() = spent;
    if (!liars_.empty() && !poisoned_) {
      fleet_ = std::make_unique<AttackedFleet>(std::move(fleet_),
                                               std::make_unique<Liars>(config.attack, clients, seed));
    }
    evaluator_ = std::make_unique<Evaluator>(*roster_, *config.algorithm, seed,
                                             evaluation_choices(config.evaluate.tests != "sets", false));
  } catch (const BadConfig&) {
    throw;
  } catch (const Error& e) {
    throw BadConfig(std::string("error: ") + e.what());
  }
}

bool Session::must_agree_on_rate() const {
  // A start that asks clients for models of their own may train them; "auto" does for methods that do.
  const bool start_may_train = config_.clusters.init != "auto" && !config_.init->jobs().empty();
  return config_.solver->wants_rate() && (config_.algorithm->uses_solver() || start_may_train);
}

void Session::start(const std::function<void(std::uint32_t)>& logged) {
  if (poisoned_) poisoned_->starting(true);
  const Init& init = *config_.init;
  const Truth* truth = init.needs_truth() ? &roster_->truth() : nullptr;
  std::vector<std::uint32_t> clusters = init.needs_truth() ? true_clusters() : std::vector<std::uint32_t>{};
  config_.algorithm->start(*fleet_, init.make({*fleet_, *setting_, *config_.algorithm, logged, truth,
                                               std::move(clusters), &so_far_}));
  so_far_.clear();
  if (poisoned_) poisoned_->starting(false);
}

std::optional<Evaluation> Session::evaluate_start(std::uint32_t round) {
  if (so_far_.empty()) return std::nullopt;
  const FixedOffer models(so_far_);
  return Evaluator(*roster_, models, config_.seed_bits(), evaluation_choices(false, true))
      .evaluate(*fleet_, round, false);
}

Evaluator::Choices Session::evaluation_choices(bool clients_test, bool lowest) const {
  return {config_.evaluate.clients, clients_test, liars_, trailing_intercepts(*config_.model), lowest,
          config_.evaluate.metrics};
}

std::vector<std::uint32_t> Session::true_clusters() const {
  std::vector<std::uint32_t> clusters;
  for (std::size_t i = 0; i < roster_->size(); ++i) {
    clusters.push_back(roster_->info(static_cast<ClientId>(i)).truth);
  }
  return clusters;
}

std::vector<ClientId> Session::cohort(std::uint32_t t) const {
  std::size_t clients = roster_->training();
  auto wanted = config_.rounds.cohort ? static_cast<std::size_t>(*config_.rounds.cohort)
                                      : static_cast<std::size_t>(std::llround(config_.rounds.participation *
                                                                              static_cast<double>(clients)));
  Stream stream(config_.seed_bits(), {Purpose::cohort, t, 0, 0});
  return stream.sample(clients, std::max<std::size_t>(1, wanted));
}

void Session::round(std::uint32_t t) {
  fleet_->begin_round(t);
  config_.algorithm->round(*fleet_, {t, static_cast<std::uint32_t>(config_.rounds.count), cohort(t)});
}

Evaluation Session::evaluate(std::uint32_t t, bool final, bool summed) {
  return evaluator_->evaluate(*fleet_, t, final || config_.evaluate.tests == "clients-always",
                              final && summed);
}

void Session::deliver() {
  Offer offer = config_.algorithm->offer();
  std::uint64_t before = fleet_->traffic().eval;
  auto note = [&](ClientId i) { return DeliveryNote{offer.travelling(config_.algorithm->offer_items(i))}; };
  fleet_->ask_eval(deliver_job(), fleet_->everyone(), Shelf(offer.items(), fleet_->precision()), note, {});
  Traffic& traffic = fleet_->traffic();
  traffic.down += std::exchange(traffic.eval, before) - before;
}

std::map<ClientId, std::vector<std::uint32_t>> Session::label_counts(std::span<const ClientId> clients) {
  if (!config_.evaluate.labels || roster_->shape().task != Task::classification) return {};
  const std::uint32_t round = fleet_->round();
  fleet_->begin_round(0);  // samples as they were dealt first
  Collect<LabelsReply, std::vector<std::uint32_t>> told(
      [](LabelsReply& reply) { return std::move(reply.counts); },
      [classes = roster_->shape().classes](ClientId, const LabelsReply& reply) {
        return reply.counts.size() == classes ? "" : "it counts other classes than there are";
      });
  fleet_->ask_eval(labels_job(), clients, Shelf(), [](ClientId) { return LabelsNote{}; }, {&told});
  fleet_->begin_round(round);
  std::map<ClientId, std::vector<std::uint32_t>> counts;
  for (auto& [client, own] : told.items) counts[client] = std::move(own);
  return counts;
}

Session::DataMark Session::data_mark() {
  if (!at_hand()) return {};  // whoever joins again is known by what it tells (fleet/joined_roster.h)
  constexpr std::size_t kSampled = 100;
  std::vector<ClientId> asked(roster_->size());
  std::iota(asked.begin(), asked.end(), 0u);
  if (roster_->drawn() && asked.size() > kSampled) {
    Stream stream(config_.seed_bits(), {Purpose::evaluate, 0, 1, 0});
    asked = stream.sample(asked.size(), kSampled);
  }
  const std::uint32_t round = fleet_->round();
  const Traffic before = fleet_->traffic();
  fleet_->begin_round(0);  // samples as they were dealt first
  Collect<FingerprintReply, FingerprintReply> told([](FingerprintReply& reply) { return reply; });
  fleet_->ask_eval(fingerprint_job(), asked, Shelf(), [](ClientId) { return FingerprintNote{}; }, {&told});
  fleet_->begin_round(round);
  fleet_->traffic() = before;
  DataMark mark;
  for (const auto& [client, reply] : told.items) {
    ++mark.clients;
    mark.samples += reply.samples;
    mark.fingerprint += mix(reply.fingerprint, fingerprint(roster_->name(client)));
  }
  return mark;
}

void Session::save(Archive& a) {
  config_.algorithm->fields(a);
  evaluator_->fields(a);
  a(fleet_->traffic());
  fleet_->save(a);
}

void Session::load(Archive& a) {
  config_.algorithm->fields(a);
  evaluator_->fields(a);
  a(fleet_->traffic());
  fleet_->load(a);
  for (const Vec& model : config_.algorithm->offer().models) {
    if (model.size() == config_.model->size()) continue;
    throw Error(fmt::format(
        "the checkpoint has a model of {} numbers where this config has {}; start again with --force",
        model.size(), config_.model->size()));
  }
}

Record measure(const Evaluation& evaluation) {
  Record record;
  for (const std::string& name : Registry<Metric>::instance().names()) {
    const std::unique_ptr<Metric> metric = Registry<Metric>::instance().make(name);
    const auto& logged = evaluation.logged;
    if (metric->basic() || std::find(logged.begin(), logged.end(), name) != logged.end()) {
      metric->measure(evaluation, record);
    }
  }
  for (const auto& [name, figure] : evaluation.own_metrics) record.set(name, figure);
  return record;
}

}  // namespace coterie
