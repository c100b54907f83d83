// The clients of a fleet that live in this process, worked on by its threads; orders and replies are never
// copied. A task is a block of clients: those of the cohort within a range of ids. Its size depends on the
// config alone, so bits do not depend on the number of threads, or on whether other clients are elsewhere.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/threads.h"
#include "fleet/client_program.h"
#include "fleet/errand.h"
#include "fleet/fleets.h"
#include "fleet/gram_cache.h"
#include "fleet/ledger.h"
#include "fleet/state_store.h"

namespace coterie {

class OwnClients {
 public:
  // `ranks`: those that share the clients; `mine` says which live here, of training clients.
  explicit OwnClients(const FleetContext& context, Ranks& ranks = alone(),
                      std::function<bool(ClientId)> mine = nullptr)
      : block_(static_cast<ClientId>(context.options.block)),
        program_(context.program),
        grams_(context.options.gram),
        engine_(program_->engine(context.shards, &grams_)),
        store_(context.roster.training(), context.folder, ranks, std::move(mine)),
        pool_(context.threads) {}

  // Opens the errand, and brings what it says to these clients (ascending) and their replies to its folds.
  // `keep`: the work may change their states.
  std::vector<Desk> carry(const Ledger& ledger, Errand& errand, std::span<const ClientId> clients, bool keep,
                          const AskName& name);
  void spread(std::size_t count, const std::function<void(std::size_t)>& work) {
    pool_.for_each(count, [&](std::size_t i, unsigned) { work(i); });
  }
  StateStore& states() { return store_; }

 private:
  // Headers are of one size, so messages differ by notes and replies, and by edits and holes in the shelf.
  struct Frames {
    Size order;  // without edits, with the whole shelf
    Size reply;
  };
  struct Ask {
    const Ledger& ledger;
    Errand& errand;
    const AnyJob& job;  // as clients know it
    AskName name;
    bool keep;
    Frames frames;
  };
  // One turn of one client, as its order names it.
  struct Turn {
    MessageHeader header;
    std::vector<Edit> edits;
    Letter letter;
  };

  std::vector<std::span<const ClientId>> cut(std::span<const ClientId> clients) const;
  Turn turn(const Ask& ask, ClientId client, Desk& desk) const;
  Bytes state_of(const MessageHeader& header) const;
  ClientView view(const Turn& turn, Bytes state) const;
  void book(const Ask& ask, const Outcome& outcome, ClientView& view, Desk& desk);
  void work_one(const Ask& ask, Turn& turn, unsigned worker, Desk& desk);
  void work_block(const Ask& ask, std::vector<Turn>& turns, unsigned worker, Desk& desk);

  ClientId block_;
  std::shared_ptr<const ClientProgram> program_;
  GramCache grams_;
  Engine engine_;
  StateStore store_;
  ThreadPool pool_;
  bool backwards_ = false;  // in turn: the data that was read last is still in the cache
};

}  // namespace coterie
