// The fleet `threads`: clients are shards in this process, worked on by all cores; orders and replies are
// never copied. A task is a block of clients: those of the cohort within a range of ids. Its size depends on
// the config alone, so bits do not depend on the number of threads.
#include "base/threads.h"

#include <algorithm>
#include <optional>

#include "fleet/local_fleet.h"

namespace coterie {
namespace {

class ThreadsFleet : public LocalFleet {
 public:
  ThreadsFleet(const Engine& engine, const Algorithm& algorithm, const FleetOptions& options,
               unsigned threads, const std::string& folder)
      : LocalFleet(engine, algorithm, options, folder), pool_(threads) {}

  void share_out(std::size_t count, const std::function<void(std::size_t)>& work) override {
    pool_.for_each(count, [&](std::size_t i, unsigned) { work(i); });
  }

 protected:
  std::vector<ClientId> perform(Errand& errand, std::span<const ClientId> cohort, Kind kind,
                                std::uint16_t ask) override {
    check_budget(errand, cohort.size());
    std::vector<std::span<const ClientId>> blocks = cut(cohort);
    if (backwards_) std::reverse(blocks.begin(), blocks.end());
    backwards_ = !backwards_;
    std::vector<Desk> desks(pool_.size());
    const Frames frames = frames_of(errand, cohort, kind, ask);
    errand.open(pool_.size());
    pool_.for_each(blocks.size(), [&](std::size_t b, unsigned worker) {
      std::vector<Turn> turns;
      for (ClientId client : blocks[b]) {
        turns.push_back(turn(errand, client, kind, ask));
        count_order(errand, turns.back(), frames, desks[worker]);
      }
      if (errand.has_block() && options_.block > 1) {
        work_block(errand, turns, kind, frames, worker, desks[worker]);
      } else {
        for (const Turn& one : turns) work_one(errand, one, kind, frames, worker, desks[worker]);
      }
    });
    errand.close();
    return settle_accounts(desks, cohort.size(), kind, ask);
  }

 private:
  std::vector<std::span<const ClientId>> cut(std::span<const ClientId> cohort) const {
    std::vector<std::span<const ClientId>> blocks;
    auto size = static_cast<ClientId>(options_.block);
    for (std::size_t begin = 0; begin < cohort.size();) {
      std::size_t end = begin + 1;
      while (end < cohort.size() && cohort[end] / size == cohort[begin] / size) ++end;
      blocks.push_back(cohort.subspan(begin, end - begin));
      begin = end;
    }
    return blocks;
  }

  // Headers are of one size, so messages differ by notes and replies, and by edits and holes in the shelf.
  struct Frames {
    Size order;  // without edits, with the whole shelf
    Size reply;
  };
  Frames frames_of(const Errand& errand, std::span<const ClientId> cohort, Kind kind,
                   std::uint16_t ask) const {
    if (cohort.empty()) return {};
    const Turn first = turn(errand, cohort[0], kind, ask);
    return {order_size(first.header, {}, {}, errand.shelf(), precision()),
            reply_size(first.header, {}, precision())};
  }
  static void count(const Size& frame, const Size& content, Size& total) {
    total.payload += frame.payload + content.payload;
    total.overhead += frame.overhead + content.overhead;
  }
  static bool has_all(const Items& items, const Shelf& shelf) {
    for (std::size_t k = 0; k < shelf.size(); ++k) {
      if (!items.has(k)) return false;
    }
    return true;
  }

  void count_order(const Errand& errand, const Turn& turn, const Frames& frames, Desk& desk) const {
    const ClientId client = turn.header.client;
    const Items items = errand.items(client);
    const Size frame = turn.edits.empty() && has_all(items, errand.shelf())
                           ? frames.order
                           : order_size(turn.header, turn.edits, {}, errand.shelf().only(items), precision());
    count(frame, errand.note_size(client, precision()), desk.down);
  }

  // Books one client's outcome.
  void book(const Outcome& outcome, const Frames& frames, ClientView& view, Kind kind, Desk& desk) {
    count(frames.reply, outcome.up, desk.up);
    if (outcome.refused.empty()) {
      keep(view, kind);
      desk.accepted.push_back(view.id());
    } else {
      desk.refused.emplace_back(view.id(), outcome.refused);
    }
  }

  // A client that fails sends nothing and costs its own turn only. A state that cannot be kept is nobody's
  // fault, and the reply is folded by then: that ends the run.
  void work_one(Errand& errand, const Turn& turn, Kind kind, const Frames& frames, unsigned worker,
                Desk& desk) {
    std::optional<ClientView> view;
    Outcome outcome;
    try {
      view.emplace(this->view(turn));
      outcome = errand.work(*view, worker);
    } catch (const Error& e) {
      desk.refused.emplace_back(turn.header.client, e.what());
      return;
    }
    book(outcome, frames, *view, kind, desk);
  }

  void work_block(Errand& errand, const std::vector<Turn>& turns, Kind kind, const Frames& frames,
                  unsigned worker, Desk& desk) {
    std::vector<ClientView> views;
    std::vector<Outcome> outcomes;
    views.reserve(turns.size());
    try {
      for (const Turn& turn : turns) views.push_back(view(turn));
      outcomes = errand.work_block(views, worker);
    } catch (const Error&) {
      // Some client failed before anything was folded: find out which, one by one.
      for (const Turn& turn : turns) work_one(errand, turn, kind, frames, worker, desk);
      return;
    }
    for (std::size_t i = 0; i < views.size(); ++i) book(outcomes[i], frames, views[i], kind, desk);
  }

  ThreadPool pool_;
  bool backwards_ = false;  // in turn: the data that was read last is still in the cache
};

}  // namespace

std::unique_ptr<Fleet> make_threads_fleet(const Engine& engine, const Algorithm& algorithm,
                                          const FleetOptions& options, unsigned threads,
                                          const std::string& folder) {
  return std::make_unique<ThreadsFleet>(engine, algorithm, options, threads, folder);
}

}  // namespace coterie
