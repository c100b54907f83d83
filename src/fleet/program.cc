#include "fleet/program.h"

#include "base/option_readers.h"
#include "coterie/methods/tiers.h"
#include "fleet/augmented_model.h"

namespace coterie {

void ClustersOptions::options(Options& o) {
  o("count", &count, "K, the number of models; K at the start for methods that adapt it", at_least(1));
  o.choice("init", init, Registry<Init>::instance().names(), "how the first models are made");
}

void ProgramReader::top(Options& o, Program& program) {
  o("seed", &program.seed, "fixes every random choice", at_least(0));
  o.choice("precision", program.precision_name, {"float", "double"},
           "of the clients' arithmetic and of what is sent");
}

void ProgramReader::model(Program& program) {
  with_plugin("model", "kind", program.model_kind, program.model, "the model that every cluster trains");
  plain("augment", program.augment);
  if (program.model != nullptr && program.augment.any())
    program.model = std::make_unique<AugmentedModel>(std::move(program.model), program.augment);
}

void ProgramReader::clusters(Program& program) {
  Where where;
  const Table& table = section("clusters", where);
  OptionParser parser = parser_of(table, "clusters", where);
  program.clusters.options(parser);
  program.init = methods<Init>(table, "clusters", program.clusters.init, parser, program.unused);
  parser.finish();
}

void ProgramReader::algorithm(Program& program) {
  Where where;
  const Table& table = section("algorithm", where);
  OptionParser parser = parser_of(table, "algorithm", where);
  parser.choice("kind", program.algorithm_kind, Registry<Algorithm>::instance().names(), "the method");
  program.algorithm = methods<Algorithm>(table, "algorithm", program.algorithm_kind, parser, program.unused);
  parser.finish();
}

void ProgramReader::tiers(Program& program) {
  Tiers unused;
  Tiers* own = program.algorithm ? program.algorithm->tiers() : nullptr;
  plain("tiers", own != nullptr ? *own : unused);
  const Value* given = table_.find("tiers");
  if (own == nullptr && given != nullptr) program.unused.push_back({given->where, "tiers"});
  if (own == nullptr || !own->refuse || problems_.size() > 0) return;
  const Value* place = given != nullptr ? given : table_.find("algorithm");
  const std::string why = own->refuse();
  if (!why.empty()) problems_.add(place != nullptr ? place->where : Where{file_, 0}, why);
}

void ProgramReader::local(Program& program) {
  with_plugin("local", "solver", program.solver_kind, program.solver, "how a client trains on its own data");
}

Program ProgramReader::read_program() {
  Program program;
  OptionParser parser = parser_of(table_, "", {file_, 0});
  top(parser, program);
  for (const char* name : {"model", "augment", "clusters", "algorithm", "tiers", "local"}) parser.claim(name);
  parser.finish();
  model(program);
  clusters(program);
  algorithm(program);
  tiers(program);
  local(program);
  return program;
}

std::string Program::model_in_use() const {
  if (model_kind != "auto") return model_kind;
  return model->shape().task == Task::classification ? "softmax" : "linear";
}

Table Program::sections() const {
  Table out;
  out.set("model", written_table([&](Options& o, Table& t) {
            t.set("kind", text_value(model_kind));
            model->options(o);
          }));
  // Options are visited through references; writing changes nothing.
  auto& own_augment = const_cast<AugmentOptions&>(augment);
  if (augment.any()) out.set("augment", written_table([&](Options& o, Table&) { own_augment.options(o); }));
  auto& own_clusters = const_cast<ClustersOptions&>(clusters);
  out.set("clusters", written_table([&](Options& o, Table& t) {
            own_clusters.options(o);
            Value inner = written_table([&](Options& i, Table&) { init->options(i); });
            if (!std::get<Table>(inner.data).entries.empty()) t.set(clusters.init, std::move(inner));
          }));
  out.set("algorithm", written_table([&](Options&, Table& t) {
            t.set("kind", text_value(algorithm_kind));
            Value inner = written_table([&](Options& i, Table&) { algorithm->options(i); });
            if (!std::get<Table>(inner.data).entries.empty()) t.set(algorithm_kind, std::move(inner));
          }));
  if (algorithm->tiers() != nullptr) {
    Value tiers = written_table([&](Options& o, Table&) { algorithm->tiers()->options(o); });
    if (!std::get<Table>(tiers.data).entries.empty()) out.set("tiers", std::move(tiers));
  }
  out.set("local", written_table([&](Options& o, Table& t) {
            t.set("solver", text_value(solver_kind));
            solver->options(o);
          }));
  return out;
}

std::string Program::text() const {
  Table out;
  out.set("seed", {seed, {}});
  out.set("precision", text_value(precision_name));
  for (auto& [key, value] : sections().entries) out.set(key, value);
  if (init->jobs().empty()) {
    Table& start = std::get<Table>(out.find("clusters")->data);
    start.erase("init");
    start.erase(clusters.init);
  }
  return write_toml(out);
}

}  // namespace coterie
