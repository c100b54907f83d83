// What kinds of fleet declare themselves with, and what a config says about them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coterie/fleet.h"
#include "coterie/options.h"
#include "coterie/registry.h"
#include "coterie/source.h"
#include "fleet/ranks.h"

namespace coterie {

class ClientProgram;
class Elsewhere;

// [fleet], less the options of the kind.
struct FleetOptions {
  std::int64_t block = 8;
  double quorum = 0.5;
  double memory = 4;  // GB
  double gram = 0.5;  // GB

  void options(Options& o);
};

// What a fleet is made from.
struct FleetContext {
  const Roster& roster;
  const Shards& shards;  // of the clients in this process
  // The client program, and the bytes that it was made from.
  std::shared_ptr<ClientProgram> program;
  std::string program_text;
  std::string agreement_text;
  FleetOptions options;
  unsigned threads = 1;
  std::string folder = "";  // where client states live; "": in memory
  std::uint64_t life = 0;   // of the run (agreement.h)
  // What classes are called, for clients that hold data of their own; empty when it does not say.
  std::vector<std::string> classes = {};

  // The books of a new fleet.
  std::shared_ptr<Ledger> ledger() const;
};

// A kind of fleet: [fleet] kind.
class FleetKind {
 public:
  virtual ~FleetKind() = default;
  virtual void options(Options& o) { (void)o; }
  // What the context borrows must outlive the fleet.
  virtual std::unique_ptr<Fleet> make(const FleetContext& context) const = 0;
  // The processes that share its clients.
  virtual Ranks& ranks() const { return alone(); }
  // Which clients live in this process; nullptr: all.
  virtual std::function<bool(ClientId)> residents(const Roster& roster, const FleetOptions& options) const {
    (void)roster, (void)options;
    return nullptr;
  }
  // Whether orders may outlive the server that sent them: then each start of a run has a life of its own.
  virtual bool outlives() const { return false; }
  // From now on fleets of this kind reach the clients that have joined there, rather than clients that they
  // make themselves. `Elsewhere` must outlive them.
  virtual void reach(Elsewhere& clients);
};

// The processes that a launcher started with this one, which the add-on `mpi` connects. Where it is not built
// they know of each other, and can do nothing together.
Ranks& launched_ranks();

}  // namespace coterie
