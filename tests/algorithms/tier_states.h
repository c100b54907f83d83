// What methods made of tiers know at the server and keep at clients, and their events.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/tiers/program.h"
#include "support/class_run.h"

namespace coterie {

template <class Run>
const Clusters& clusters(const Run& run) {
  return dynamic_cast<const Tiered&>(*run.algorithm).clusters();
}

// Asks for nothing but a look.
struct LookNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
// What a client keeps, edits included.
struct LookReply {
  Vec weights, rows;
  void fields(Archive& a) { a(weights, rows); }
};
inline LookReply kept_by(ClassRun& run, ClientId client) {
  Job<LookNote, LookReply> look("look", [](const Shelf&, const LookNote&, ClientView& view) {
    const TierState& state = view.state<TierState>();
    return LookReply{state.weights, state.rows};
  });
  const Lent lent(*run.program, look);
  Collect<LookReply, LookReply> out([](LookReply& reply) { return reply; });
  std::vector<ClientId> one{client};
  run.fleet->ask_eval(look, one, Shelf(), [](ClientId) { return LookNote{}; }, {&out});
  return out.items[0].second;
}

// Where a client's weights settle with the models fixed.
inline Vec settled(ClassRun& run, ClientId client) {
  Job<LookNote, LookReply> look("look", [&](const Shelf& shelf, const LookNote&, ClientView& view) {
    return LookReply{run.algorithm->settle(shelf, view), {}};
  });
  const Lent lent(*run.program, look);
  Collect<LookReply, Vec> out([](LookReply& reply) { return reply.weights; });
  const std::vector<ClientId> one{client};
  run.fleet->ask_eval(look, one, Shelf(run.algorithm->offer().items(), Precision::f64),
                      [](ClientId) { return LookNote{}; }, {&out});
  return out.items[0].second;
}

inline std::vector<Event> of_kind(Fleet& fleet, const std::string& kind) {
  std::vector<Event> some;
  for (Event& event : fleet.take_events()) {
    if (event.kind == kind) some.push_back(std::move(event));
  }
  return some;
}
inline double number(const Event& event, const std::string& name) {
  for (const auto& [key, value] : event.numbers) {
    if (key == name) return value;
  }
  return std::nan("");
}

}  // namespace coterie
