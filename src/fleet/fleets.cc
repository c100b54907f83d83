#include "fleet/fleets.h"

#include <cstdlib>

#include "base/add_ons.h"
#include "base/launch.h"
#include "fleet/client_program.h"
#include "fleet/ledger.h"

namespace coterie {
namespace {

// A process that knows of others, and has no way to them. Whoever is not the first ends without a word.
class Unconnected : public Ranks {
 public:
  unsigned rank() const override { return launch_.rank; }
  unsigned count() const override { return launch_.count; }
  void sum(std::span<std::int64_t>) override { check(false, "ranks that are not connected"); }
  std::vector<Bytes> gather(const Bytes&) override {
    check(false, "ranks that are not connected");
    return {};
  }
  bool all_failed() override { return true; }
  void end_all(int status) override { std::exit(status); }

 private:
  const Launch launch_ = launch_of_environment();
};

}  // namespace

void FleetOptions::options(Options& o) {
  o("block", &block, "clients worked on together where a method can; changes speed only", between(1, 65536));
  o("quorum", &quorum, "share of the clients asked whose replies must be usable, or the run stops", share());
  o("memory", &memory, "GB of memory that the replies of one ask may take", above(0));
  o("gram", &gram, "GB of inner products of clients' rows kept from round to round; changes no bit",
    at_least(0));
}

void FleetKind::reach(Elsewhere&) {
  throw Error("clients join over a network: that needs fleet.kind = \"grpc\"");
}

std::shared_ptr<Ledger> FleetContext::ledger() const {
  return std::make_shared<Ledger>(roster, program->precision(), program->run(),
                                  Ledger::Limits{options.quorum, options.memory});
}

Ranks& launched_ranks() {
  if (launch_of_environment().count == 1) return alone();
  if (load_add_on_of("mpi").empty()) return Registry<FleetKind>::instance().make("mpi")->ranks();
  static Unconnected others;
  return others;
}

}  // namespace coterie
