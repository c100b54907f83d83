// Where samples come from. A source is configured, then opened once; what it opens is a population.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "coterie/random.h"
#include "coterie/registry.h"

namespace coterie {

// How the columns of a table became features and targets: what it takes to use a model on rows from
// elsewhere.
struct TableSchema {
  struct Feature {
    std::string column;
    // One feature for each value of a column of text: 1 where the column has this value, else 0; "" is what
    // is missing. None for a column of numbers, where the feature is (x - mean) / deviation.
    std::optional<std::string> value;
    double fill = 0;  // in place of a missing number
    double mean = 0;
    double deviation = 1;
  };
  std::vector<Feature> features;  // in order
  std::string target;
  std::vector<std::string> classes;  // by number; empty for regression
  double target_mean = 0;            // the same for the target of a regression
  double target_deviation = 1;
};

// A finite set of samples that a partition deals out to clients.
struct Pool {
  Samples train;
  Samples test;  // may be empty: then the federation holds out a share of train
  // The natural owner of each train row (writer, hospital, station); empty when there is none.
  std::vector<std::uint32_t> owners;
  std::vector<std::string> owner_names;
  std::optional<TableSchema> table;  // when it comes from one
  std::vector<std::string> notes;    // what was left out in reading, in words
};

// What clients draw their samples from: a pool, or a generator that never runs out. Const and thread-safe.
class Population {
 public:
  virtual ~Population() = default;
  virtual const Shape& shape() const = 0;

  // Finite populations.
  virtual const Pool* pool() const { return nullptr; }

  // Generators: so many distributions, each a true cluster of its own, in these shares of clients.
  virtual std::size_t groups() const { return 1; }
  virtual std::vector<double> shares() const {
    return std::vector<double>(groups(), 1.0 / static_cast<double>(groups()));
  }
  virtual std::string group_name(std::size_t group) const;
  // The true cluster that a group belongs to, where several make up one.
  virtual std::uint32_t cluster_of(std::size_t group) const { return static_cast<std::uint32_t>(group); }
  // `count` fresh samples of a group. Pools refuse.
  virtual Samples draw(std::size_t group, std::size_t count, Stream& stream) const;
  // The parameters that generated a group, as the matching model (without intercept) would hold them.
  virtual std::optional<Vec> parameters(std::size_t group) const;
};

struct SourceContext {
  std::string data_folder;         // --data, or COTERIE_DATA; may be empty
  std::uint64_t seed = 1;          // [data] seed
  std::string config_folder = {};  // where the config is; files are looked for there as well
};

class Source {
 public:
  virtual ~Source() = default;
  virtual void options(Options& o) = 0;
  // Loads or sets up; an Error names the missing file and says how to get it.
  virtual std::unique_ptr<Population> open(const SourceContext& context) const = 0;
  // Files this source would read, so that a config can be checked before work starts; throws Error if
  // missing.
  virtual void check_files(const SourceContext&) const {}
  // Whether, as configured, it says who owns each sample: [clients] partition is then "natural" by default.
  virtual bool names_owners() const { return false; }
};

}  // namespace coterie
