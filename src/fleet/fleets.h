// What kinds of fleet declare themselves with, and what a config says about them.
#pragma once

#include <memory>
#include <string>

#include "coterie/fleet.h"
#include "coterie/options.h"
#include "coterie/registry.h"
#include "coterie/source.h"

namespace coterie {

class ClientProgram;

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
};

}  // namespace coterie
