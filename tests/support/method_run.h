// A method on a federation of a test's own: a program for the server and one for the clients, and a fleet.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coterie/methods/slots.h"
#include "fleet/client_program.h"
#include "fleet/fleets.h"
#include "support/plugins.h"

namespace coterie {

// A program as a config would give it.
struct ProgramChoices {
  std::string algorithm = "fedavg";
  std::string algorithm_toml = "";
  std::string tiers_toml = "";
  std::string model = "linear";
  std::string model_toml = "";
  std::string solver = "gd";
  std::string solver_toml = "rate = 0.1\nsteps = 1";
  std::size_t clusters = 1;
  Precision precision = Precision::f64;
  std::string init = "random";

  std::string text() const {
    // Linear and logistic models have no intercept here, unless a test asks for one.
    const bool bare =
        (model == "linear" || model == "logistic") && model_toml.find("intercept =") == std::string::npos;
    const std::string tiers = tiers_toml.empty() ? "" : "[tiers]\n" + tiers_toml + "\n";
    return "precision = \"" + std::string(precision == Precision::f64 ? "double" : "float") +
           "\"\n[model]\nkind = \"" + model + "\"\n" + (bare ? "intercept = false\n" : "") + model_toml +
           "\n[clusters]\ncount = " + std::to_string(clusters) + "\ninit = \"" + init +
           "\"\n[algorithm]\nkind = \"" + algorithm + "\"\n[algorithm." + algorithm + "]\n" + algorithm_toml +
           "\n" + tiers + "[local]\nsolver = \"" + solver + "\"\n" + solver_toml + "\n";
  }
};

inline Program read_program(const std::string& text) {
  Problems problems;
  const Table table = parse_toml(text, "test.toml");
  Program program = ProgramReader(table, "test.toml", problems, nullptr).read_program();
  problems.raise_if_any();
  return program;
}

// A job of a test's own, known to the clients of a run as long as this lives.
class Lent {
 public:
  Lent(ClientProgram& program, const AnyJob& job) : program_(program), name_(job.name()) { program.add(job); }
  ~Lent() { program_.remove(name_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  ClientProgram& program_;
  std::string name_;
};

struct FleetChoices {
  std::string kind = "threads";
  FleetOptions options = {.block = 1};
  unsigned threads = 1;
};

template <class Data>
class MethodRun {
 public:
  template <class From>
  MethodRun(From&& data, const ProgramChoices& choices, const FleetChoices& on = {},
            const std::string& weights = "samples")
      : federation(std::forward<From>(data)) {
    const std::string text = choices.text();
    Program read = read_program(text);
    model = std::move(read.model);
    solver = std::move(read.solver);
    algorithm = std::move(read.algorithm);
    aggregate.weights = weights;
    aggregate.aggregator = make_plugin<Aggregator>("mean");
    model->bind(federation.shape(), 1);
    setting = std::make_unique<Setting>(
        Setting{*model, *solver, aggregate, choices.clusters, 1, choices.precision, {}});
    for (std::size_t i = 0; i < federation.training(); ++i) {
      setting->truth.push_back(federation.info(static_cast<ClientId>(i)).truth);
    }
    algorithm->prepare(*setting);
    const std::string agreement = Agreement::of(federation, false).text();
    program = std::make_shared<ClientProgram>(text, agreement);
    // Tests make starts themselves, so clients know the jobs of all.
    for (const std::string& name : Registry<Init>::instance().names()) {
      starts_.push_back(Registry<Init>::instance().make(name));
      for (const AnyJob* job : starts_.back()->jobs()) program->add(*job);
    }
    engine = std::make_unique<Engine>(program->engine(federation));
    fleet = Registry<FleetKind>::instance().make(on.kind)->make(
        {federation, federation, program, text, agreement, on.options, on.threads});
  }

  void start(std::vector<Vec> models) { algorithm->start(*fleet, {std::move(models), {}}); }
  void round(std::vector<ClientId> cohort) {
    ++rounds;
    fleet->begin_round(rounds);
    algorithm->round(*fleet, {rounds, 100, std::move(cohort)});
  }
  std::vector<Vec> models() const { return algorithm->offer().models; }

  Data federation;
  // The server's.
  std::unique_ptr<Model> model;
  std::unique_ptr<Solver> solver;
  AggregateOptions aggregate;
  std::unique_ptr<Algorithm> algorithm;
  std::unique_ptr<Setting> setting;
  // The clients'.
  std::shared_ptr<ClientProgram> program;
  std::unique_ptr<Engine> engine;

  std::unique_ptr<Fleet> fleet;
  std::uint32_t rounds = 0;

 private:
  std::vector<std::unique_ptr<Init>> starts_;
};

}  // namespace coterie
