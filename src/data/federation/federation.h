// A federation whose clients all live in this process: what a config says of it, and how it is made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/partition.h"
#include "coterie/shift.h"
#include "coterie/source.h"

namespace coterie {

// [clients] and [unseen].
struct ClientsOptions {
  std::optional<std::int64_t> count;  // default: what the partition decides, else 10
  std::vector<std::string> names;     // whom `coterie serve` waits for
  std::optional<std::int64_t> samples;
  double train = 0.8;  // parts
  double validation = 0;
  double test = 0.2;
  std::string reuse = "never";    // "per-cluster": every true cluster holds all images, as in IFCA
  std::string deal = "balanced";  // or "random": true clusters drawn independently for each client

  void options(Options& o);
};

struct UnseenOptions {
  std::int64_t count = 0;
  std::optional<std::int64_t> samples;
  std::string settle =
      "apart";         // or "same": choose a model on the very data it is scored on, as the IFCA authors do
  double share = 0.5;  // of an unseen client's (and a shared test set's) samples used to choose
  std::vector<std::string> names;  // of clients that are owners; default: chosen by the seed

  void options(Options& o);
};

// [data], less the source's own options.
struct DataOptions {
  std::optional<std::int64_t> seed;  // default: the run's
  std::string redeal = "never";      // or "epoch": clients keep their distribution but get fresh samples;
                                     // "pytorch", "pytorch-shuffled": the rows that PyTorch would give them
  std::int64_t redeal_every = 1;     // rounds in an epoch
  // Of a pool without test data, held out for shared test sets. Default: 0.2, but 0 when clients are the
  // owners of the samples, whose data no shared set stands for; what is held out is then a share of each
  // owner's.
  std::optional<double> test_share;
  std::int64_t test_samples = 1000;  // drawn for each shared test set by a generator
  double cache = 1.0;                // GB of client data kept in memory; beyond that it is made on demand

  void options(Options& o);
};

// A shift with its place in the federation.
struct ShiftUse {
  std::shared_ptr<Shift> shift;                    // the federation keeps a reference
  std::vector<double> shares;                      // of clients, for each variant; empty: equal
  std::optional<bool> truth;                       // default: the shift's own
  std::vector<std::int64_t> variants = {};         // listed: that of each training client; empty: dealt
  std::optional<std::string> deal = std::nullopt;  // default: that of [clients]
  bool shared_tests = true;                        // whether shared test sets are shifted too
};

struct FederationSpec {
  DataOptions data;
  ClientsOptions clients;
  UnseenOptions unseen;
  std::unique_ptr<Source> source;
  std::vector<ShiftUse> shifts;
  std::unique_ptr<Partition> partition;
  std::string source_name;
  bool floats = false;  // keep features that are doubles as floats: all that a run at float precision reads
};

// A federation whose clients all live in this process.
//
// Data that is dealt again is training data only: validation and test parts stay as they were dealt first, so
// no row that judges a client's cluster is ever trained on there. Same spec and seed, same samples, whether
// they are cached or made on demand.
class Federation : public Roster, public Shards {
 public:
  // Where each row of the user's file went, in the order of clients and parts, as it was dealt first; none
  // where rows have no numbers there.
  struct RowPlace {
    std::uint32_t row = 0;  // from 1
    ClientId client = 0;
    Part part = Part::train;
  };
  virtual std::vector<RowPlace> places() const { return {}; }
  // What a cut of a client's training rows must respect, by row: rows of one kin stay together, later rows
  // test earlier ones. Empty where the data says nothing.
  struct RowBonds {
    std::vector<std::uint32_t> kin;
    std::vector<std::uint32_t> times;
  };
  virtual RowBonds bonds(ClientId client) const {
    (void)client;
    return {};
  }
  // While the schema of a table is a draft, samples are raw, unshifted training data to agree by. This ends
  // it; nobody may be reading samples meanwhile.
  virtual void agree(const TableSchema& table) { (void)table; }
  // Lets go of the samples of clients that live elsewhere, once a table is agreed on. Shared test sets stay:
  // any client may be scored on them.
  virtual void keep_only(const std::function<bool(ClientId)>& resident) { (void)resident; }
  // Where each client scales its features by its own rows (scaling = "each"): the schema that this one uses.
  virtual std::optional<TableSchema> own_table(ClientId client) const {
    (void)client;
    return std::nullopt;
  }
};

// Loads, deals and shifts; throws Error with the reason when the spec cannot be met.
std::unique_ptr<Federation> build_federation(const FederationSpec& spec, const SourceContext& context,
                                             std::uint64_t seed);

}  // namespace coterie
