// The program of a run: what server and clients make alike from the same text. It names the seed, the
// precision, the model, the local solver, the method with its tiers, and the start; no path, data, attack or
// truth.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/section_reader.h"
#include "coterie/algorithm.h"
#include "data/augment.h"

namespace coterie {

// [clusters], less the options of the start.
struct ClustersOptions {
  std::int64_t count = 2;
  std::string init = "auto";

  void options(Options& o);
};

struct Program {
  std::int64_t seed = 1;
  std::string precision_name = "float";
  std::string model_kind = "auto";
  std::unique_ptr<Model> model;
  AugmentOptions augment;  // [augment]; the model sees images that way already
  ClustersOptions clusters;
  std::unique_ptr<Init> init;
  std::string algorithm_kind = "fedavg";
  std::unique_ptr<Algorithm> algorithm;
  std::string solver_kind = "sgd";
  std::unique_ptr<Solver> solver;
  std::vector<UnusedTable> unused;

  Precision precision() const { return precision_name == "double" ? Precision::f64 : Precision::f32; }
  std::uint64_t seed_bits() const { return static_cast<std::uint64_t>(seed); }
  // The kind of the model, or what "auto" stands for on these targets; once the model is bound.
  std::string model_in_use() const;
  // The sections model, augment (where anything is asked for), clusters, algorithm, tiers and local, with
  // every default written out.
  Table sections() const;
  // What clients need of it, as TOML. A start that asks clients nothing is not among it.
  std::string text() const;
};

// Reads the sections of a program.
class ProgramReader : public SectionReader {
 public:
  using SectionReader::SectionReader;
  Program read_program();

 protected:
  // Seed and precision, which stand at the top.
  static void top(Options& o, Program& program);
  void model(Program& program);  // and [augment]
  void clusters(Program& program);
  void algorithm(Program& program);
  // [tiers] is checked whatever the method, and used by those that are made of tiers.
  void tiers(Program& program);
  void local(Program& program);
};

}  // namespace coterie
