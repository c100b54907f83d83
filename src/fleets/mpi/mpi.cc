// The fleet `mpi`: clients are spread over the ranks of an MPI job, and each rank works on its own with all
// its threads. Every rank runs the whole server half, so nothing goes down; what comes up is merged fold by
// fold (Fold::merge), so that all ranks end an ask with the same bits.
//
// Choose it when the clients of a simulation need more memory or more cores than one machine has.
#include "fleet/dealt.h"
#include "fleet/own_clients.h"
#include "mpi_ranks.h"

namespace coterie {
namespace {

class MpiFleet : public Fleet {
 public:
  MpiFleet(const FleetContext& context, Ranks& ranks)
      : Fleet(context.ledger()),
        ranks_(ranks),
        dealt_(context.roster, context.options.block, ranks.count()),
        clients_(context, ranks, [this](ClientId client) { return is_mine(client); }) {}

  // The server's own work is done by every rank: its results are needed on all.
  void spread(std::size_t count, const std::function<void(std::size_t)>& work) override {
    clients_.spread(count, work);
  }
  void save(Archive& a) override {
    ledger().save(a);
    clients_.states().save(a);
  }
  void load(Archive& a) override {
    ledger().load(a);
    clients_.states().load(a);
  }

 protected:
  std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                          const AskName& name) override {
    std::vector<ClientId> mine;
    for (const ClientId client : cohort) {
      if (is_mine(client)) mine.push_back(client);
    }
    std::vector<Desk> desks;
    together(ranks_, [&] { desks = clients_.carry(ledger(), errand, mine, kind == AskKind::work, name); });
    errand.merge(ranks_);
    return {merge_desks(desks, cohort, ranks_)};
  }

 private:
  bool is_mine(ClientId client) const { return dealt_.rank_of(client) == ranks_.rank(); }

  Ranks& ranks_;
  const Dealt dealt_;
  OwnClients clients_;
};

class Mpi : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<MpiFleet>(context, ranks());
  }
  Ranks& ranks() const override { return mpi_ranks(); }
  std::function<bool(ClientId)> residents(const Roster& roster, const FleetOptions& options) const override {
    if (ranks().count() == 1) return nullptr;
    const auto dealt = std::make_shared<const Dealt>(roster, options.block, ranks().count());
    return [dealt, own = ranks().rank()](ClientId client) { return dealt->rank_of(client) == own; };
  }
};

const Registration<FleetKind> kMpi{"mpi", "clients are spread over the processes that mpirun or srun started",
                                   [] { return std::make_unique<Mpi>(); }};

}  // namespace
}  // namespace coterie
