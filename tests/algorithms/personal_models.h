// What clients with models of their own predict with, for tests of methods on tiny federations.
#pragma once

#include <vector>

#include "support/tiny_federation.h"

namespace coterie {

// What a client predicts for its own rows, and the losses of that.
struct OwnPredictions {
  Vec outputs, losses;
  void fields(Archive& a) { a(outputs, losses); }
};
template <class Run>
OwnPredictions own_predictions(Run& run, ClientId client) {
  struct Note {
    Items items;
    void fields(Archive& a) { a(items); }
  };
  Job<Note, OwnPredictions> job("look", [&](const Shelf& shelf, const Note&, ClientView& view) {
    Vec weights = run.algorithm->settle(shelf, view);
    Predictions all = run.algorithm->predict(shelf, weights, view, Part::test);
    return OwnPredictions{std::move(all.outputs), std::move(all.losses)};
  });
  const Lent lent(*run.program, job);
  Collect<OwnPredictions, OwnPredictions> out([](OwnPredictions& r) { return r; });
  std::vector<ClientId> one{client};
  auto note = [&](ClientId i) { return Note{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(job, one, Shelf(run.models(), run.fleet->precision()), note, {&out});
  return out.items.at(0).second;
}
inline Vec predictions_of(TinyRun& run, ClientId client) { return own_predictions(run, client).outputs; }

// The model of a client whose first row is x = 1.
inline double model_of(TinyRun& run, ClientId client) { return predictions_of(run, client)[0]; }

// A client with one row x = 1: its loss is (w - y)^2 / 2, its gradient w - y.
inline TinyFederation::Client wants(double y, std::uint32_t truth = 0) { return {{{1}}, {y}, truth}; }

}  // namespace coterie
