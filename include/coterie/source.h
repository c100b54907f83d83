// Where samples come from, and who has them. A source is configured, then opened once; what it opens is a
// population. Clients get their samples from there: the roster says who they are, the shards hold what each
// has.
#pragma once

#include <cstdint>
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
  // What fill, mean and deviation come from: the training rows of all training clients ("clients"), those of
  // each client alone ("each": nobody else knows them, and the numbers here are 0 and 1), or nothing
  // ("none").
  std::string scaling = "clients";
  std::string impute = "mean";  // what fill is: a "mean", or "zero"; "drop-row": no number is missing
  bool scales_target = false;   // whether the target of a regression is brought to mean 0 and deviation 1
  // Features are numbers as they stand in the file yet, doubles, with NaN for what is missing: fill, mean and
  // deviation are to be agreed on first.
  bool draft = false;
};

// A finite set of samples that a partition deals out to clients.
struct Pool {
  Samples train;
  Samples test;  // may be empty: then the federation holds out a share of train
  // The natural owner of each train row (writer, hospital, station); empty when there is none.
  std::vector<std::uint32_t> owners;
  std::vector<std::string> owner_names;
  // The true cluster of each owner, and what the clusters are called; empty where nobody knows.
  std::vector<std::uint32_t> owner_truth;
  std::vector<std::string> truth_names;
  std::vector<Part> parts;  // of each train row, where the data says so; else empty
  // The place in time of each train row, equal where the column is; may be empty. A cut into parts respects
  // it, so that later rows test what was learned from earlier ones, and keeps train.kin together.
  std::vector<std::uint32_t> times;
  std::vector<std::uint32_t> numbers;  // of each train row in the user's file, from 1; may be empty
  std::optional<TableSchema> table;    // when it comes from one
  std::vector<std::string> classes;    // of images that a table names, by number; may be empty
  std::vector<std::string> notes;      // what was left out in reading, in words
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
  // Takes the place of a pool's draft of a table, and makes features of its rows, as floats if asked, unless
  // each client is to do that for itself.
  virtual void agree(const TableSchema& table, bool floats) { (void)table, (void)floats; }
  // The parameters that generated a group, as the matching model (without intercept) would hold them.
  virtual std::optional<Vec> parameters(std::size_t group) const;
};

struct SourceContext {
  std::string data_folder;         // --data, or COTERIE_DATA; may be empty
  std::uint64_t seed = 1;          // [data] seed
  std::string config_folder = {};  // where the config is; files are looked for there as well
  double memory = 4;               // GB that what a source makes up may take
  bool floats = false;             // the run computes in float, so features need not be kept in double
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

enum class Role : std::uint8_t {
  train,   // takes part in rounds
  unseen,  // never trains: chooses a model and is scored
  test,    // a shared test set: the test data of one true cluster
};

struct ClientInfo {
  std::uint32_t train = 0;  // samples in each part
  std::uint32_t validation = 0;
  std::uint32_t test = 0;
  std::uint32_t truth = 0;  // true cluster
  Role role = Role::train;
};

// The manifest of true clusters. Metrics read it, and algorithms and starts that declare needs_truth;
// nobody else.
struct Truth {
  std::size_t clusters = 1;
  std::vector<std::string> names;              // of the clusters: "rotate 90"
  std::vector<std::optional<Vec>> parameters;  // of the clusters, where a generator knows them
};

// What a server may know of its clients. Ids: training clients 0 .. training()-1, then unseen ones, then one
// shared test set for each true cluster (none when a pool has no test part and holds out nothing).
class Roster {
 public:
  virtual ~Roster() = default;
  virtual const Shape& shape() const = 0;
  virtual std::size_t size() const = 0;      // all ids
  virtual std::size_t training() const = 0;  // ids below this take part in rounds
  virtual ClientInfo info(ClientId client) const = 0;
  virtual const Truth& truth() const = 0;
  // The owner that a training client stands for, "" when it stands for none.
  virtual std::string name(ClientId client) const {
    (void)client;
    return "";
  }
  // What each shift of the config does to a client's samples: "rotate 90" ...
  virtual std::vector<std::string> shifts(ClientId client) const {
    (void)client;
    return {};
  }
  // Remarks for the user, one sentence each: owners that take no part, for instance.
  virtual std::vector<std::string> notes() const { return {}; }
  // Whether samples are drawn by a generator: config, seed and program then say all about them.
  virtual bool drawn() const { return false; }
  // How a table became samples; nullptr when the samples come from none.
  virtual const TableSchema* table() const { return nullptr; }
};

// The samples themselves, which only clients read. Const and thread-safe.
class Shards {
 public:
  virtual ~Shards() = default;
  // The client's samples of a part in a round (rounds count for re-dealt data only). Unseen clients and
  // shared test sets hold what they choose by in `train` and what they are scored on in `test`.
  virtual std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const = 0;
};

}  // namespace coterie
