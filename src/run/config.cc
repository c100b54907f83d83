#include "run/config.h"

#include <algorithm>

#include "adversary/liars.h"
#include "coterie/methods/tiers.h"
#include "run/catalogue.h"

namespace coterie {

void RoundsOptions::options(Options& o) {
  o("count", &count, "communication rounds", between(0, 1e9));
  o("participation", &participation, "share of the clients asked in a round, drawn anew each time",
    between(1e-9, 1));
  o("cohort", &cohort, "clients asked in a round, instead of a share", at_least(1));
}

void EvaluateOptions::options(Options& o) {
  o("every", &every, "rounds between evaluations; the last round is always evaluated", at_least(1));
  o("clients", &clients, "training clients judged, a fixed random sample; default: all", at_least(1));
  o.choice(
      "tests", tests, {"sets", "clients", "clients-always"},
      "who is scored on the shared test set of a true cluster: the set itself, which settles on a model by "
      "samples of its own, or each client with the model that it settled on, in the last round or in all "
      "that are evaluated");
}

void CheckpointOptions::options(Options& o) {
  o("every", &every, "rounds between checkpoints; 0: only at the end", at_least(0));
}

void ClustersOptions::options(Options& o) {
  o("count", &count, "K, the number of models; K at the start for methods that adapt it", at_least(1));
  o.choice("init", init, Registry<Init>::instance().names(), "how the first models are made");
}

namespace {

const Table kEmpty;

// Reads one config table, section by section.
class Reader {
 public:
  Reader(const Table& table, std::string file, Problems& problems)
      : table_(table), file_(std::move(file)), problems_(problems) {}

  Config read() {
    top();
    data();
    shifts();
    clients();
    plain("unseen", config_.federation.unseen);
    with_plugin("model", "kind", config_.model_kind, config_.model, "the model that every cluster trains");
    clusters();
    algorithm();
    tiers();
    with_plugin("local", "solver", config_.solver_kind, config_.solver,
                "how a client trains on its own data");
    aggregate();
    attack();
    rounds();
    plain("evaluate", config_.evaluate);
    plain("fleet", config_.fleet);
    plain("checkpoint", config_.checkpoint);
    return std::move(config_);
  }

 private:
  // A section's table and place; an absent section reads as an empty one.
  const Table& section(const std::string& name, Where& where) {
    where = {file_, 0};
    const Value* value = table_.find(name);
    if (value == nullptr) return kEmpty;
    where = value->where;
    if (value->is_table()) return std::get<Table>(value->data);
    problems_.add(where, name + " must be a table: [" + name + "]");
    return kEmpty;
  }

  OptionParser parser_of(const Table& table, std::string path, const Where& where) {
    OptionParser parser(table, std::move(path), where, problems_);
    parser.directory(config_keys());
    return parser;
  }

  void top() {
    OptionParser parser = parser_of(table_, "", {file_, 0});
    parser("name", &config_.name, "what the run is called");
    parser("seed", &config_.seed, "fixes every random choice", at_least(0));
    parser.choice("precision", config_.precision, {"float", "double"},
                  "of the clients' arithmetic and of what is sent");
    config_.federation.floats = config_.precision == "float";
    for (const char* name :
         {"data", "shift", "clients", "unseen", "model", "clusters", "algorithm", "local", "tiers",
          "aggregate", "attack", "rounds", "evaluate", "fleet", "checkpoint", "sweep"}) {
      parser.claim(name);
    }
    parser.finish();
  }

  template <class T>
  void plain(const std::string& name, T& target) {
    Where where;
    const Table& table = section(name, where);
    OptionParser parser = parser_of(table, name, where);
    target.options(parser);
    parser.finish();
  }

  // The plug-in named by `key`, made but not yet configured; null when there is no such name.
  template <class Interface>
  std::unique_ptr<Interface> plugin(OptionParser& parser, const std::string& key, std::string& kind,
                                    const std::string& sentence) {
    parser.choice(key, kind, Registry<Interface>::instance().names(), sentence);
    if (parser.refused(key)) return nullptr;
    parser.chosen(key, kind);
    return Registry<Interface>::instance().make(kind);
  }

  // Reads the plug-in's own options. Without one (its name is wrong) nobody can tell which keys are.
  template <class Interface>
  static void finish_with(Interface* plugin, OptionParser& parser) {
    if (plugin == nullptr) return;
    plugin->options(parser);
    parser.finish();
  }

  // A section whose options are those of the plug-in it names.
  template <class Interface, class Pointer>
  void with_plugin(const std::string& name, const std::string& key, std::string& kind, Pointer& target,
                   const std::string& sentence) {
    Where where;
    const Table& table = section(name, where);
    OptionParser parser = parser_of(table, name, where);
    target = plugin<Interface>(parser, key, kind, sentence);
    finish_with(target.get(), parser);
  }
  template <class Interface>
  void with_plugin(const std::string& name, const std::string& key, std::string& kind,
                   std::unique_ptr<Interface>& target, const std::string& sentence) {
    with_plugin<Interface, std::unique_ptr<Interface>>(name, key, kind, target, sentence);
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
             "the variant of each training client, one number for each, counted from 0; default: dealt",
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

  void clusters() {
    Where where;
    const Table& table = section("clusters", where);
    OptionParser parser = parser_of(table, "clusters", where);
    config_.clusters.options(parser);
    config_.init = methods<Init>(table, "clusters", config_.clusters.init, parser);
    parser.finish();
  }

  void algorithm() {
    Where where;
    const Table& table = section("algorithm", where);
    OptionParser parser = parser_of(table, "algorithm", where);
    parser.choice("kind", config_.algorithm_kind, Registry<Algorithm>::instance().names(), "the method");
    config_.algorithm = methods<Algorithm>(table, "algorithm", config_.algorithm_kind, parser);
    parser.finish();
  }

  // [tiers] is checked whatever the method, and used by those that are made of tiers.
  void tiers() {
    Tiers unused;
    Tiers* own = config_.algorithm ? config_.algorithm->tiers() : nullptr;
    plain("tiers", own != nullptr ? *own : unused);
    const Value* given = table_.find("tiers");
    if (own == nullptr && given != nullptr) config_.unused.push_back({given->where, "tiers"});
    if (own == nullptr || !own->refuse || problems_.size() > 0) return;
    const Value* place = given != nullptr ? given : table_.find("algorithm");
    const std::string why = own->refuse();
    if (!why.empty()) problems_.add(place != nullptr ? place->where : Where{file_, 0}, why);
  }

  // The plug-in in use, with the options of its own sub-table. Sub-tables of those not in use are checked
  // too.
  template <class Interface>
  std::unique_ptr<Interface> methods(const Table& table, const std::string& path, const std::string& used,
                                     OptionParser& parser) {
    std::unique_ptr<Interface> chosen;
    for (const std::string& name : Registry<Interface>::instance().names()) {
      auto method = Registry<Interface>::instance().make(name);
      parser.claim(name);
      const Value* value = table.find(name);
      if (value != nullptr && !value->is_table()) {
        problems_.add(value->where, path + "." + name + " must be a table: [" + path + "." + name + "]");
      }
      bool given = value != nullptr && value->is_table();
      if (given && name != used) config_.unused.push_back({value->where, path + "." + name});
      OptionParser inner = parser_of(given ? std::get<Table>(value->data) : kEmpty, path + "." + name,
                                     given ? value->where : Where{file_, 0});
      method->options(inner);
      inner.finish();
      if (name == used) chosen = std::move(method);
    }
    if (chosen != nullptr) {
      OptionLister lister;
      chosen->options(lister);
      for (const OptionDoc& doc : lister.docs) parser.belongs(doc.name, path + "." + used + "." + doc.name);
    }
    return chosen;
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

  template <class Interface>
  static std::string all_names() {
    std::string text;
    for (const std::string& name : Registry<Interface>::instance().names())
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  const Table& table_;
  std::string file_;
  Problems& problems_;
  Config config_;
};

// A sub-table with the present values of some options.
template <class F>
Value written(F&& write) {
  Table table;
  OptionWriter writer(table);
  write(writer, table);
  return {std::move(table), {}};
}

Value text(std::string value) { return {std::move(value), {}}; }

}  // namespace

Config read_config(const Table& table, const std::string& file, Problems& problems) {
  return Reader(table, file, problems).read();
}

Table Config::resolved() const {
  Table out;
  // Options are visited through references; writing changes nothing.
  auto& self = const_cast<Config&>(*this);
  out.set("name", text(name));
  out.set("seed", {seed, {}});
  out.set("precision", text(precision));
  out.set("data", written([&](Options& o, Table& t) {
            t.set("source", text(federation.source_name));
            self.federation.data.options(o);
            self.federation.source->options(o);
          }));
  Array shifts;
  for (std::size_t i = 0; i < federation.shifts.size(); ++i) {
    ShiftUse& use = self.federation.shifts[i];
    shifts.push_back(written([&](Options& o, Table& t) {
      t.set("kind", text(shift_kinds[i]));
      if (!use.shares.empty()) o("shares", &use.shares, "");
      t.set("truth", {*use.truth, {}});
      if (!use.variants.empty()) o("variants", &use.variants, "");
      if (use.deal) o("deal", &use.deal, "");
      t.set("shared_tests", {use.shared_tests, {}});
      use.shift->options(o);
    }));
  }
  if (!shifts.empty()) out.set("shift", {std::move(shifts), {}});
  out.set("clients", written([&](Options& o, Table& t) {
            t.set("partition", text(partition));
            self.federation.clients.options(o);
            self.federation.partition->options(o);
          }));
  out.set("unseen", written([&](Options& o, Table&) { self.federation.unseen.options(o); }));
  out.set("model", written([&](Options& o, Table& t) {
            t.set("kind", text(model_kind));
            model->options(o);
          }));
  out.set("clusters", written([&](Options& o, Table& t) {
            self.clusters.options(o);
            Value inner = written([&](Options& i, Table&) { init->options(i); });
            if (!std::get<Table>(inner.data).entries.empty()) t.set(clusters.init, std::move(inner));
          }));
  out.set("algorithm", written([&](Options&, Table& t) {
            t.set("kind", text(algorithm_kind));
            Value inner = written([&](Options& i, Table&) { algorithm->options(i); });
            if (!std::get<Table>(inner.data).entries.empty()) t.set(algorithm_kind, std::move(inner));
          }));
  if (algorithm->tiers() != nullptr) {
    Value tiers = written([&](Options& o, Table&) { algorithm->tiers()->options(o); });
    if (!std::get<Table>(tiers.data).entries.empty()) out.set("tiers", std::move(tiers));
  }
  out.set("local", written([&](Options& o, Table& t) {
            t.set("solver", text(solver_kind));
            solver->options(o);
          }));
  out.set("aggregate", written([&](Options& o, Table& t) {
            t.set("kind", text(aggregate.kind));
            self.aggregate.options(o);
            aggregate.aggregator->options(o);
          }));
  if (attack.any()) {
    out.set("attack", written([&](Options& o, Table& t) {
              t.set("kind", text(attack.kind));
              self.attack.options(o);
              attack.attack->options(o);
            }));
  }
  out.set("rounds", written([&](Options& o, Table& t) {
            self.rounds.options(o);
            t.erase(rounds.cohort ? "participation" : "cohort");
          }));
  out.set("evaluate", written([&](Options& o, Table&) { self.evaluate.options(o); }));
  out.set("fleet", written([&](Options& o, Table&) { self.fleet.options(o); }));
  out.set("checkpoint", written([&](Options& o, Table&) { self.checkpoint.options(o); }));
  return out;
}

}  // namespace coterie
