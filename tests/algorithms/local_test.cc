#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie {
namespace {

// A client's prediction for x = 1 is its own model.
double model_of(TinyRun& run, ClientId client) {
  struct Note {
    Items items;
    void fields(Archive& a) { a(items); }
  };
  struct Reply {
    Vec out;
    void fields(Archive& a) { a(out); }
  };
  Job<Note, Reply> job("look", [&](const Shelf& shelf, const Note&, ClientView& view) {
    Vec weights = run.algorithm->settle(shelf, view);
    return Reply{run.algorithm->predict(shelf, weights, view, Part::test).outputs};
  });
  Collect<Reply, double> out([](Reply& r) { return r.out[0]; });
  std::vector<ClientId> one{client};
  auto note = [&](ClientId i) { return Note{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(job, one, Shelf(run.models(), Precision::f64), note, {&out});
  return out.items[0].second;
}

const std::vector<TinyFederation::Client> kThree = {{{{1}}, {2}, 0}, {{{1}}, {4}, 0}, {{{1}}, {8}, 0}};

TEST(Local, EveryClientTrainsAlone) {
  TinyRun run(kThree, {.algorithm = "local"});
  run.start({{0.0}});
  run.round({0, 1});
  run.round({1});
  EXPECT_NEAR(model_of(run, 0), 0.2, 1e-14);
  EXPECT_NEAR(model_of(run, 1), 0.4 + 0.1 * (4 - 0.4), 1e-14);
  EXPECT_EQ(model_of(run, 2), 0.0) << "never trained: still at the common start";
}

TEST(Local, SendsTheStartOnceAndNoModelBack) {
  TinyRun run(kThree, {.algorithm = "local"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().down, 2u * 8);
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().down, 3u * 8);
  EXPECT_EQ(run.fleet->traffic().up, 5u * 8) << "a loss each";
}

}  // namespace
}  // namespace coterie
