// The fleet `threads`: clients are shards in this process, worked on by all cores; orders and replies are
// never copied. A task is a block of clients: those of the cohort within a range of ids. Its size depends on
// the config alone, so bits do not depend on the number of threads.
#include "base/threads.h"

#include <algorithm>

#include "fleet/local_fleet.h"

namespace coterie {
namespace {

class ThreadsFleet : public LocalFleet {
 public:
  ThreadsFleet(const Engine& engine, const Algorithm& algorithm, const FleetOptions& options,
               unsigned threads, const std::string& folder)
      : LocalFleet(engine, algorithm, options, folder), pool_(threads) {}

 protected:
  std::vector<ClientId> perform(Errand& errand, std::span<const ClientId> cohort, Kind kind,
                                std::uint16_t ask) override {
    check_budget(errand, cohort.size());
    std::vector<std::span<const ClientId>> blocks = cut(cohort);
    if (backwards_) std::reverse(blocks.begin(), blocks.end());
    backwards_ = !backwards_;
    std::vector<Desk> desks(pool_.size());
    errand.open(pool_.size());
    pool_.for_each(blocks.size(), [&](std::size_t b, unsigned worker) {
      std::vector<Turn> turns;
      for (ClientId client : blocks[b]) {
        turns.push_back(turn(errand, client, kind, ask));
        count_order(errand, turns.back(), desks[worker]);
      }
      if (errand.has_block() && options_.block > 1) {
        work_block(errand, turns, kind, worker, desks[worker]);
      } else {
        for (const Turn& one : turns) work_one(errand, one, kind, worker, desks[worker]);
      }
    });
    errand.close();
    return settle_accounts(desks, cohort.size(), kind);
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

  void count_order(const Errand& errand, const Turn& turn, Desk& desk) const {
    ClientId client = turn.header.client;
    Size down = order_size(turn.header, turn.edits, errand.note_size(client, precision()),
                           errand.shelf().only(errand.items(client)), precision());
    desk.down.payload += down.payload;
    desk.down.overhead += down.overhead;
  }

  // Books one client's outcome.
  void book(const Turn& turn, const Outcome& outcome, ClientView& view, Kind kind, Desk& desk) {
    Size up = reply_size(turn.header, outcome.up, precision());
    desk.up.payload += up.payload;
    desk.up.overhead += up.overhead;
    if (outcome.refused.empty()) {
      keep(view, kind);
      desk.accepted.push_back(view.id());
    } else {
      desk.refused.emplace_back(view.id(), outcome.refused);
    }
  }

  // A client that fails sends nothing and costs its own turn only.
  void work_one(Errand& errand, const Turn& turn, Kind kind, unsigned worker, Desk& desk) {
    try {
      ClientView view = this->view(turn);
      book(turn, errand.work(view, worker), view, kind, desk);
    } catch (const Error& e) {
      desk.refused.emplace_back(turn.header.client, e.what());
    }
  }

  void work_block(Errand& errand, const std::vector<Turn>& turns, Kind kind, unsigned worker, Desk& desk) {
    std::vector<ClientView> views;
    std::vector<Outcome> outcomes;
    views.reserve(turns.size());
    try {
      for (const Turn& turn : turns) views.push_back(view(turn));
      outcomes = errand.work_block(views, worker);
    } catch (const Error&) {
      // Some client failed before anything was folded: find out which, one by one.
      for (const Turn& turn : turns) work_one(errand, turn, kind, worker, desk);
      return;
    }
    for (std::size_t i = 0; i < views.size(); ++i) book(turns[i], outcomes[i], views[i], kind, desk);
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
