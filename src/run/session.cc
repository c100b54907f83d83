#include "run/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adversary/attacked_fleet.h"
#include "base/memory.h"
#include "base/text.h"
#include "coterie/methods/tiers.h"
#include "data/fingerprint.h"
#include "fleet/agreement.h"
#include "fleet/client_program.h"
#include "fleet/columns.h"

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
void bind_model(const Config& config, const Federation& federation, std::uint64_t seed) {
  try {
    config.model->bind(federation.shape(), seed);
  } catch (const Error& e) {
    if (federation.table() == nullptr) throw;
    bool classes = federation.shape().task == Task::classification;
    throw Error(fmt::format("{}; the column \"{}\" is read as {}; to change that, set data.task = \"{}\"",
                            e.what(), federation.table()->target, classes ? "classes" : "numbers to predict",
                            classes ? "regression" : "classification"));
  }
}

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

}  // namespace

Session::Session(const Config& config, const std::string& data_folder, unsigned threads,
                 const std::string& state_folder, std::shared_ptr<const Federation> federation)
    : config_(config), federation_(std::move(federation)) {
  try {
    auto seed = static_cast<std::uint64_t>(config.seed);
    std::shared_ptr<Federation> fresh;
    if (federation_ == nullptr) {
      federation_ = fresh =
          build_federation(config.federation, {data_folder, seed, config.folder, config.fleet.memory}, seed);
    }
    std::size_t clients = federation_->training();
    if (config.rounds.cohort && static_cast<std::size_t>(*config.rounds.cohort) > clients) {
      throw Error(fmt::format("rounds.cohort = {}: there {}", *config.rounds.cohort, only_clients(clients)));
    }
    bind_model(config, *federation_, seed);
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
    check_attack(config.attack, config.algorithm_kind, config.algorithm->jobs(), federation_->shape());
    program_text_ = config.text();
    Agreement agreement = Agreement::of(*federation_, redealt);
    const auto make_fleet = [&](const Shards& shards, const std::string& states) {
      agreement_text_ = agreement.text();
      return config.fleet_kind->make({*federation_, shards,
                                      std::make_shared<ClientProgram>(program_text_, agreement_text_),
                                      program_text_, agreement_text_, config.fleet, threads, states});
    };
    Traffic spent;
    if (fresh != nullptr && agreement.table && agreement.table->draft) {
      const std::unique_ptr<Fleet> draft = make_fleet(*federation_, "");
      agreement.table = agree_on_columns(*draft, *agreement.table, agreement.shape.task);
      fresh->agree(*agreement.table);
      spent = draft->traffic();
      agreeing_ = draft->take_events();
    }
    const Shards& met = poisoned_ ? static_cast<const Shards&>(*poisoned_) : *federation_;  // by clients
    if (must_agree_on_rate()) {
      // Clients that have no rate yet, and keep nothing.
      const std::unique_ptr<Fleet> draft = make_fleet(met, "");
      draft->begin_round(1);
      if (poisoned_) poisoned_->starting(true);
      rate_ = find_rate(*draft, *setting_);
      if (poisoned_) poisoned_->starting(false);
      agreement.rate = rate_->rate;
      config.solver->agree_rate(rate_->rate);
      spent.overhead += draft->traffic().eval + draft->traffic().overhead;
    }
    fleet_ = make_fleet(met, state_folder);
    fleet_->traffic() = spent;
    if (!liars_.empty() && !poisoned_) {
      fleet_ = std::make_unique<AttackedFleet>(std::move(fleet_),
                                               std::make_unique<Liars>(config.attack, clients, seed));
    }
    evaluator_ = std::make_unique<Evaluator>(*federation_, *config.algorithm, seed,
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
  const Truth* truth = init.needs_truth() ? &federation_->truth() : nullptr;
  std::vector<std::uint32_t> clusters = init.needs_truth() ? true_clusters() : std::vector<std::uint32_t>{};
  config_.algorithm->start(*fleet_, init.make({*fleet_, *setting_, *config_.algorithm, logged, truth,
                                               std::move(clusters), &so_far_}));
  so_far_.clear();
  if (poisoned_) poisoned_->starting(false);
}

std::optional<Evaluation> Session::evaluate_start(std::uint32_t round) {
  if (so_far_.empty()) return std::nullopt;
  const FixedOffer models(so_far_);
  return Evaluator(*federation_, models, config_.seed_bits(), evaluation_choices(false, true))
      .evaluate(*fleet_, round, false);
}

Evaluator::Choices Session::evaluation_choices(bool clients_test, bool lowest) const {
  return {config_.evaluate.clients, clients_test, liars_, trailing_intercepts(*config_.model), lowest,
          config_.evaluate.metrics};
}

std::vector<std::uint32_t> Session::true_clusters() const {
  std::vector<std::uint32_t> clusters;
  for (std::size_t i = 0; i < federation_->size(); ++i) {
    clusters.push_back(federation_->info(static_cast<ClientId>(i)).truth);
  }
  return clusters;
}

void Session::report_notes() {
  auto report = [&](const char* kind, const std::string& text) { fleet_->report({0, kind, {}, text, {}}); };
  auto note = [&](const std::string& text) { report("note", text); };
  if (const Tiers* tiers = config_.algorithm->tiers()) report("parts", tiers->text());
  for (const std::string& text : federation_->notes()) note(text);
  for (const Event& event : agreeing_) fleet_->report(event);
  if (rate_) {
    fleet_->report({0, "rate", {}, rate_->text, rate_->numbers});
    if (!rate_->warning.empty()) report("warning", rate_->warning);
  }
  if (!liars_.empty()) {
    report("liars",
           fmt::format("{} of {} lie ({}), {}; figures are about the others only; the liars: {}",
                       liars_.size(), counted(federation_->training(), "client"), config_.attack.kind,
                       config_.attack.start <= 1 ? "from the beginning"
                                                 : fmt::format("from round {} on", config_.attack.start),
                       fmt::join(liars_, ", ")));
  }
  if (liars_.empty() && config_.attack.any() && config_.attack.fraction > 0) {
    report("warning", fmt::format("attack.fraction = {} of {} is less than half a client: nobody lies",
                                  config_.attack.fraction, counted(federation_->training(), "client")));
  }
  if (!liars_.empty() && config_.attack.start > config_.rounds.count) {
    report("warning", fmt::format("attack.start = {} is after the last of {}: nobody ever lies",
                                  config_.attack.start, counted(config_.rounds.count, "round")));
  }
  if (config_.algorithm->needs_truth() && federation_->truth().clusters < 2) {
    note(fmt::format("no true clusters are known: {} treats all clients as one cluster",
                     config_.algorithm_kind));
  }
  std::size_t unseen = 0;
  for (std::size_t i = federation_->training(); i < federation_->size(); ++i) {
    unseen += federation_->info(static_cast<ClientId>(i)).role == Role::unseen ? 1 : 0;
  }
  if (unseen > 0 && config_.algorithm->personal()) {
    report("warning",
           fmt::format("{} {} not evaluated: with algorithm.kind = \"{}\" there are no models but "
                       "those of the training clients",
                       counted(unseen, "unseen client"), unseen == 1 ? "is" : "are", config_.algorithm_kind));
  }
  for (const std::string& text : config_.init->warnings(*fleet_, *setting_)) report("warning", text);
  for (const std::string& text : config_.algorithm->warnings(*fleet_)) report("warning", text);
  if (config_.algorithm->start_models() > federation_->training()) {
    note(fmt::format("clusters.count = {}: there {}, so some models stay unused",
                     config_.algorithm->start_models(), only_clients(federation_->training())));
  }
}

std::vector<ClientId> Session::cohort(std::uint32_t t) const {
  std::size_t clients = federation_->training();
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
  if (!config_.evaluate.labels || federation_->shape().task != Task::classification) return {};
  const std::uint32_t round = fleet_->round();
  fleet_->begin_round(0);  // samples as they were dealt first
  Collect<LabelsReply, std::vector<std::uint32_t>> told(
      [](LabelsReply& reply) { return std::move(reply.counts); },
      [classes = federation_->shape().classes](ClientId, const LabelsReply& reply) {
        return reply.counts.size() == classes ? "" : "it counts other classes than there are";
      });
  fleet_->ask_eval(labels_job(), clients, Shelf(), [](ClientId) { return LabelsNote{}; }, {&told});
  fleet_->begin_round(round);
  std::map<ClientId, std::vector<std::uint32_t>> counts;
  for (auto& [client, own] : told.items) counts[client] = std::move(own);
  return counts;
}

Session::DataMark Session::data_mark() {
  constexpr std::size_t kSampled = 100;
  std::vector<ClientId> asked(federation_->size());
  std::iota(asked.begin(), asked.end(), 0u);
  if (federation_->drawn() && asked.size() > kSampled) {
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
    mark.fingerprint += mix(reply.fingerprint, fingerprint(federation_->name(client)));
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
