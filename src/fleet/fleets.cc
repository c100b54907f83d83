#include "fleet/fleets.h"

#include "fleet/client_program.h"
#include "fleet/ledger.h"

namespace coterie {

void FleetOptions::options(Options& o) {
  o("block", &block, "clients worked on together where a method can; changes speed only", between(1, 65536));
  o("quorum", &quorum, "share of the clients asked whose replies must be usable, or the run stops", share());
  o("memory", &memory, "GB of memory that the replies of one ask may take", above(0));
  o("gram", &gram, "GB of inner products of clients' rows kept from round to round; changes no bit",
    at_least(0));
}

std::shared_ptr<Ledger> FleetContext::ledger() const {
  return std::make_shared<Ledger>(roster, program->precision(), program->run(),
                                  Ledger::Limits{options.quorum, options.memory});
}

}  // namespace coterie
