// The fleet `threads`: clients are shards in this process, worked on by all cores; orders and replies are
// never copied. A task is a block of clients: those of the cohort within a range of ids. Its size depends on
// the config alone, so bits do not depend on the number of threads.
#include "base/threads.h"

#include <algorithm>
#include <optional>

#include "fleet/client_program.h"
#include "fleet/errand.h"
#include "fleet/fleets.h"
#include "fleet/gram_cache.h"
#include "fleet/ledger.h"
#include "fleet/state_store.h"

namespace coterie {
namespace {

class ThreadsFleet : public Fleet {
 public:
  explicit ThreadsFleet(const FleetContext& context)
      : Fleet(context.ledger()),
        block_(static_cast<ClientId>(context.options.block)),
        program_(context.program),
        grams_(context.options.gram),
        engine_(program_->engine(context.shards, &grams_)),
        store_(context.roster.training(), context.folder),
        pool_(context.threads) {}

  void spread(std::size_t count, const std::function<void(std::size_t)>& work) override {
    pool_.for_each(count, [&](std::size_t i, unsigned) { work(i); });
  }
  void save(Archive& a) override {
    ledger().save(a);
    store_.save(a);
  }
  void load(Archive& a) override {
    ledger().load(a);
    store_.load(a);
  }

 protected:
  std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                          const AskName& name) override {
    std::vector<std::span<const ClientId>> blocks = cut(cohort);
    if (backwards_) std::reverse(blocks.begin(), blocks.end());
    backwards_ = !backwards_;
    std::vector<Desk> desks(pool_.size());
    const Ask ask{errand, program_->job(errand.job()), name, kind == AskKind::work,
                  frames_of(errand, cohort, name)};
    errand.open(pool_.size());
    pool_.for_each(blocks.size(), [&](std::size_t b, unsigned worker) {
      std::vector<Turn> turns;
      for (const ClientId client : blocks[b]) turns.push_back(turn(ask, client, desks[worker]));
      if (ask.job.has_block() && block_ > 1) {
        work_block(ask, turns, worker, desks[worker]);
      } else {
        for (Turn& one : turns) work_one(ask, one, worker, desks[worker]);
      }
    });
    return desks;
  }

 private:
  // Headers are of one size, so messages differ by notes and replies, and by edits and holes in the shelf.
  struct Frames {
    Size order;  // without edits, with the whole shelf
    Size reply;
  };
  struct Ask {
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

  std::vector<std::span<const ClientId>> cut(std::span<const ClientId> cohort) const {
    std::vector<std::span<const ClientId>> blocks;
    for (std::size_t begin = 0; begin < cohort.size();) {
      std::size_t end = begin + 1;
      while (end < cohort.size() && cohort[end] / block_ == cohort[begin] / block_) ++end;
      blocks.push_back(cohort.subspan(begin, end - begin));
      begin = end;
    }
    return blocks;
  }

  Frames frames_of(const Errand& errand, std::span<const ClientId> cohort, const AskName& name) {
    if (cohort.empty()) return {};
    const MessageHeader first = ledger().header(errand.job(), cohort[0], name, true);
    return {order_size(first, {}, {}, errand.shelf(), precision()), reply_size(first, {}, precision())};
  }
  static bool has_all(const Items& items, const Shelf& shelf) {
    for (std::size_t k = 0; k < shelf.size(); ++k) {
      if (!items.has(k)) return false;
    }
    return true;
  }

  Turn turn(const Ask& ask, ClientId client, Desk& desk) {
    const Errand& errand = ask.errand;
    Turn turn{ledger().header(errand.job(), client, ask.name, ask.keep), ledger().edits_for(client),
              errand.letter(client, precision())};
    const Items& items = turn.letter.items;
    desk.down += turn.edits.empty() && has_all(items, errand.shelf())
                     ? ask.frames.order
                     : order_size(turn.header, turn.edits, {}, errand.shelf().only(items), precision());
    desk.down += encoded_size(*turn.letter.note, precision());
    return turn;
  }

  Bytes state_of(const MessageHeader& header) const {
    return header.version == 0 ? Bytes() : store_.get(header.client);
  }
  // The client as it was after its last accepted reply, edits applied.
  ClientView view(const Turn& turn, Bytes state) const {
    ClientView view(engine_, turn.header.client, turn.header.ask, std::move(state));
    for (const Edit& edit : turn.edits) program_->method().apply(edit, view);
    return view;
  }

  // Books one client's outcome, and keeps the state that it reached if its reply was accepted.
  void book(const Ask& ask, const Outcome& outcome, ClientView& view, Desk& desk) {
    desk.up += ask.frames.reply;
    desk.up += outcome.up;
    if (!outcome.refused.empty()) {
      desk.refused.emplace_back(view.id(), outcome.refused);
      return;
    }
    if (ask.keep) store_.put(view.id(), view.final_state());
    desk.accepted.push_back(view.id());
  }

  // A client that fails sends nothing and costs its own turn only. A state that cannot be read or kept is no
  // client's fault: that ends the run.
  void work_one(const Ask& ask, Turn& turn, unsigned worker, Desk& desk) {
    std::optional<ClientView> client;
    Outcome outcome;
    Bytes state = state_of(turn.header);
    try {
      client.emplace(view(turn, std::move(state)));
      const auto reply = ask.job.work(ask.errand.shelf().only(turn.letter.items), *turn.letter.note, *client);
      outcome = ask.errand.fold(turn.header.client, *reply, precision(), worker);
    } catch (const Error& e) {
      desk.refused.emplace_back(turn.header.client, e.what());
      return;
    }
    book(ask, outcome, *client, desk);
  }

  void work_block(const Ask& ask, std::vector<Turn>& turns, unsigned worker, Desk& desk) {
    std::vector<ClientView> views;
    std::vector<ClientId> clients;
    std::vector<Shelf> shelves;
    std::vector<std::unique_ptr<Message>> notes;
    std::vector<Outcome> outcomes;
    views.reserve(turns.size());
    std::vector<Bytes> states;
    for (const Turn& turn : turns) states.push_back(state_of(turn.header));
    try {
      for (Turn& turn : turns) {
        views.push_back(view(turn, std::move(states[views.size()])));
        clients.push_back(turn.header.client);
        shelves.push_back(ask.errand.shelf().only(turn.letter.items));
        notes.push_back(std::move(turn.letter.note));
      }
      std::vector<std::unique_ptr<Message>> replies = ask.job.work_block(shelves, notes, views);
      outcomes = ask.errand.fold_block(clients, replies, precision(), worker);
    } catch (const Error&) {
      // Some client failed before anything was folded: find out which, one by one.
      for (Turn& turn : turns) {
        turn.letter = ask.errand.letter(turn.header.client, precision());
        work_one(ask, turn, worker, desk);
      }
      return;
    }
    for (std::size_t i = 0; i < views.size(); ++i) book(ask, outcomes[i], views[i], desk);
  }

  ClientId block_;
  std::shared_ptr<const ClientProgram> program_;
  GramCache grams_;
  Engine engine_;
  StateStore store_;
  ThreadPool pool_;
  bool backwards_ = false;  // in turn: the data that was read last is still in the cache
};

class Threads : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<ThreadsFleet>(context);
  }
};

const Registration<FleetKind> kThreads{"threads",
                                       "clients are shards in this process, worked on by all cores",
                                       [] { return std::make_unique<Threads>(); }};

}  // namespace
}  // namespace coterie
