#include "run/config.h"

#include <algorithm>

#include "adversary/liars.h"
#include "base/option_readers.h"
#include "coterie/methods/slots.h"
#include "coterie/metric.h"
#include "run/catalogue.h"

namespace coterie {

void RoundsOptions::options(Options& o) {
  o("count", &count, "communication rounds", between(0, 1e9));
  o("participation", &participation, "share of the clients asked in a round, a new random draw each time",
    between(1e-9, 1));
  o("cohort", &cohort, "clients asked in a round, instead of a share", at_least(1));
}

void EvaluateOptions::options(Options& o) {
  o("every", &every, "rounds between evaluations; the last round is always evaluated", at_least(1));
  o("clients", &clients, "how many training clients are evaluated, a fixed random sample; default: all",
    at_least(1));
  o.choice(
      "tests", tests, {"sets", "clients", "clients-always"},
      "what shared test sets are for. sets: each chooses a model by some of its samples and is scored like a "
      "client; clients: each client's own choice is scored on the set of its true cluster, in the last "
      "round; clients-always: in every evaluation");
  o("labels", &labels, "whether clients report how many training samples of each class they have");
  o("means", &means,
    "whether clients of a table report means and deviations of its columns over their training rows");
  o("metrics", &metrics,
    "what is measured besides accuracy and loss. auto: all metrics of the task, in the last evaluation, but "
    "none whose reports from all clients take more than 32 MB; basic: nothing; all, or a list of names "
    "(coterie list metrics): these, in every evaluation and in rounds.jsonl");
  std::vector<std::string> known = Registry<Metric>::instance().names();
  known.insert(known.end(), {"auto", "basic", "all"});
  for (const std::string& name : metrics) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    o.require(is_known, "metrics", is_known ? "" : unknown_name(name, known));
  }
}

void CheckpointOptions::options(Options& o) {
  o("every", &every, "rounds between checkpoints; 0: only at the end", at_least(0));
}

namespace {

// Reads one config table, section by section.
class Reader : public ProgramReader {
 public:
  Reader(const Table& table, std::string file, Problems& problems)
      : ProgramReader(table, std::move(file), problems, &config_keys()) {}

  Config read() {
    top();
    data();
    shifts();
    clients();
    plain("unseen", config_.federation.unseen);
    model(config_);
    clusters(config_);
    algorithm(config_);
    tiers(config_);
    local(config_);
    aggregate();
    attack();
    rounds();
    plain("evaluate", config_.evaluate);
    fleet();
    plain("checkpoint", config_.checkpoint);
    return std::move(config_);
  }

 private:
  void top() {
    OptionParser parser = parser_of(table_, "", {file_, 0});
    parser("name", &config_.name, "what the run is called");
    ProgramReader::top(parser, config_);
    config_.federation.floats = config_.precision() == Precision::f32;
    for (const char* name :
         {"data", "shift", "clients", "unseen", "model", "augment", "clusters", "algorithm", "local", "tiers",
          "aggregate", "attack", "rounds", "evaluate", "fleet", "checkpoint", "sweep"}) {
      parser.claim(name);
    }
    parser.finish();
  }

  void data() {
    Where where;
    const Table& table = section("data", where);
    OptionParser parser = parser_of(table, "data", where);
    FederationSpec& spec = config_.federation;
    spec.source_name = "digits";
    spec.source = plugin<Source>(parser, "source", spec.source_name, "where the samples come from");
    spec.data.options(parser);
    finish_with(spec.source.get(), parser);
  }

  void shifts() {
    const Value* value = table_.find("shift");
    if (value == nullptr) return;
    if (!value->is_array()) {
      problems_.add(value->where, "shift must be a list of tables: write [[shift]]");
      return;
    }
    const auto& list = std::get<Array>(value->data);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_table()) {
        problems_.add(list[i].where, "shift must be a list of tables: write [[shift]]");
        continue;
      }
      OptionParser parser =
          parser_of(std::get<Table>(list[i].data), "shift." + std::to_string(i), list[i].where);
      ShiftUse use;
      std::string kind = "rotate";
      if (!parser.has("kind")) problems_.add(list[i].where, "a shift needs a kind: " + all_names<Shift>());
      use.shift = plugin<Shift>(parser, "kind", kind, "what makes clients differ");
      parser("shares", &use.shares, "share of the clients for each variant; default: equal", at_least(0));
      bool truth = use.shift && use.shift->is_truth_by_default();
      parser("truth", &truth, "whether its variants are true clusters");
      use.truth = truth;
      parser("variants", &use.variants,
             "the variant of each training client, one number from 0 for each; default: variants are dealt",
             at_least(0));
      parser(
          "deal", &use.deal,
          "how variants are dealt: balanced (in exactly their shares), random (drawn for each client on its "
          "own), in-turn or in-blocks; default: clients.deal");
      parser.renamed("assign", "deal");
      parser("shared_tests", &use.shared_tests, "whether shared test sets are shifted too, or left clean");
      parser.require(use.variants.empty() || use.shares.empty(), "variants",
                     "lists the variant of each client, so shares must be left out");
      parser.require(use.variants.empty() || !use.deal, "variants",
                     "lists the variant of each client, so deal must be left out");
      parser.require(!use.deal || *use.deal == "balanced" || *use.deal == "random" ||
                         *use.deal == "in-turn" || *use.deal == "in-blocks",
                     "deal", "must be \"balanced\", \"random\", \"in-turn\" or \"in-blocks\"");
      finish_with(use.shift.get(), parser);
      config_.shift_kinds.push_back(kind);
      config_.federation.shifts.push_back(std::move(use));
    }
  }

  void clients() {
    Where where;
    const Table& table = section("clients", where);
    OptionParser parser = parser_of(table, "clients", where);
    const Source* source = config_.federation.source.get();
    if (source != nullptr && source->names_owners()) config_.partition = "natural";
    config_.federation.partition = plugin<Partition>(
        parser, "partition", config_.partition,
        "how samples are dealt to clients; by default iid, or natural when the source names owners");
    config_.federation.clients.options(parser);
    parser.renamed("assign", "deal");
    finish_with(config_.federation.partition.get(), parser);
  }

  void aggregate() {
    Where where;
    const Table& table = section("aggregate", where);
    OptionParser parser = parser_of(table, "aggregate", where);
    AggregateOptions& options = config_.aggregate;
    options.aggregator =
        plugin<Aggregator>(parser, "kind", options.kind, "how the vectors of a cluster are combined");
    options.options(parser);
    finish_with(options.aggregator.get(), parser);
  }

  void attack() {
    Where where;
    const Table& table = section("attack", where);
    OptionParser parser = parser_of(table, "attack", where);
    AttackOptions& options = config_.attack;
    parser.require(table.entries.empty() || parser.has("kind"), "kind",
                   "an attack needs a kind: " + all_names<Attack>());
    options.attack = plugin<Attack>(parser, "kind", options.kind, "what clients that lie do");
    options.options(parser);
    if (options.attack != nullptr && config_.algorithm != nullptr) {
      const std::string pointless =
          pointless_attack(options, config_.algorithm_kind, config_.algorithm->jobs());
      parser.require(pointless.empty(), "kind", pointless);
    }
    finish_with(options.attack.get(), parser);
  }

  void rounds() {
    Where where;
    const Table& table = section("rounds", where);
    OptionParser parser = parser_of(table, "rounds", where);
    config_.rounds.options(parser);
    parser.require(!(parser.has("participation") && parser.has("cohort")), "cohort",
                   "give either rounds.participation (a share) or rounds.cohort (a number), not both");
    const auto& clients = config_.federation.clients.count;
    parser.require(!config_.rounds.cohort || !clients || *config_.rounds.cohort <= *clients, "cohort",
                   "there are only " + std::to_string(clients.value_or(0)) + " clients (clients.count)");
    parser.finish();
  }

  void fleet() {
    Where where;
    const Table& table = section("fleet", where);
    OptionParser parser = parser_of(table, "fleet", where);
    config_.fleet_kind = plugin<FleetKind>(parser, "kind", config_.fleet_name, "where the clients are");
    config_.fleet.options(parser);
    finish_with(config_.fleet_kind.get(), parser);
  }

  Config config_;
};

}  // namespace

Config read_config(const Table& table, const std::string& file, Problems& problems) {
  return Reader(table, file, problems).read();
}

Table Config::resolved() const {
  Table out;
  // Options are visited through references; writing changes nothing.
  auto& self = const_cast<Config&>(*this);
  out.set("name", text_value(name));
  out.set("seed", {seed, {}});
  out.set("precision", text_value(precision_name));
  out.set("data", written_table([&](Options& o, Table& t) {
            t.set("source", text_value(federation.source_name));
            self.federation.data.options(o);
            self.federation.source->options(o);
          }));
  Array shifts;
  for (std::size_t i = 0; i < federation.shifts.size(); ++i) {
    ShiftUse& use = self.federation.shifts[i];
    shifts.push_back(written_table([&](Options& o, Table& t) {
      t.set("kind", text_value(shift_kinds[i]));
      if (!use.shares.empty()) o("shares", &use.shares, "");
      t.set("truth", {*use.truth, {}});
      if (!use.variants.empty()) o("variants", &use.variants, "");
      if (use.deal) o("deal", &use.deal, "");
      t.set("shared_tests", {use.shared_tests, {}});
      use.shift->options(o);
    }));
  }
  if (!shifts.empty()) out.set("shift", {std::move(shifts), {}});
  out.set("clients", written_table([&](Options& o, Table& t) {
            t.set("partition", text_value(partition));
            self.federation.clients.options(o);
            self.federation.partition->options(o);
          }));
  out.set("unseen", written_table([&](Options& o, Table&) { self.federation.unseen.options(o); }));
  for (auto& [key, value] : sections().entries) out.set(key, value);
  out.set("aggregate", written_table([&](Options& o, Table& t) {
            t.set("kind", text_value(aggregate.kind));
            self.aggregate.options(o);
            aggregate.aggregator->options(o);
          }));
  if (attack.any()) {
    out.set("attack", written_table([&](Options& o, Table& t) {
              t.set("kind", text_value(attack.kind));
              self.attack.options(o);
              attack.attack->options(o);
            }));
  }
  out.set("rounds", written_table([&](Options& o, Table& t) {
            self.rounds.options(o);
            t.erase(rounds.cohort ? "participation" : "cohort");
          }));
  out.set("evaluate", written_table([&](Options& o, Table&) { self.evaluate.options(o); }));
  out.set("fleet", written_table([&](Options& o, Table& t) {
            t.set("kind", text_value(fleet_name));
            self.fleet.options(o);
            fleet_kind->options(o);
          }));
  out.set("checkpoint", written_table([&](Options& o, Table&) { self.checkpoint.options(o); }));
  return out;
}

}  // namespace coterie
