#include "run/handover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "data/formats/safetensors.h"
#include "fleet/use_jobs.h"
#include "run/posterior.h"
#include "support/table_run.h"

namespace coterie::handover_test {
namespace {

Config config_of(const std::string& text) {
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

// A session after its rounds, and what it hands over.
struct Ended {
  explicit Ended(const std::string& text) : config(config_of(text)) {
    write_atomically(folder.file("table.csv"), TableRun::table("c", TableRun::kClients, TableRun::kRows, 7));
    session = std::make_unique<Session>(config, folder.path(), 1, "");
    session->start();
    for (std::uint32_t t = 1; t <= 4; ++t) session->round(t);
    evaluation = session->evaluate(4, true);
    handover = Handover::of(*session, evaluation);
  }
  // The sum of a client's losses under a model, over one of its parts.
  double cost(ClientId client, Part part, const Vec& model) const {
    const auto samples = session->federation().samples(client, part, 4);
    std::vector<double> x(samples->size() * samples->shape.width), losses(samples->size());
    for (std::size_t i = 0; i < samples->size(); ++i)
      samples->copy_row(i, std::span(x).subspan(i * samples->shape.width, samples->shape.width));
    config.model->losses(model, Batch<double>{samples->size(), samples->shape.width, x, samples->targets, {}},
                         losses);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  TempFolder folder;
  Config config;
  std::unique_ptr<Session> session;
  Evaluation evaluation;
  Handover handover;
};

TEST(Handover, FitsTheTemperatureToHeldOutRows) {
  const Ended ended("precision = \"double\"\n" + TableRun::config("ifca"));
  std::vector<HeldOut> clients;
  Vec sizes(2, 0.0);
  for (const ClientScore& score : ended.evaluation.scores) {
    HeldOut one{score.cluster, score.samples, {}};
    for (const Vec& model : ended.handover.models)
      one.costs.push_back(ended.cost(score.client, Part::test, model));
    clients.push_back(one);
    sizes[score.cluster] += 1;
  }
  EXPECT_EQ(ended.handover.sizes, sizes);
  EXPECT_EQ(ended.handover.fitted_on, static_cast<std::size_t>(TableRun::kClients));
  EXPECT_NEAR(ended.handover.temperature, fit_temperature(clients, sizes, 1), 1e-6);
  EXPECT_EQ(ended.handover.clients.size(), static_cast<std::size_t>(TableRun::kClients));
  EXPECT_EQ(ended.handover.clients[3].name, "c3");
}

// What FedEM's weights are found by is the negative loss itself: costs are the same sums.
TEST(Handover, SoftMethodsCountClientsByTheirWeights) {
  Ended ended("precision = \"double\"\n" + TableRun::config("fedem"));
  EXPECT_TRUE(ended.handover.soft);
  EXPECT_NEAR(ended.handover.sizes[0] + ended.handover.sizes[1], TableRun::kClients, 1e-9);
  const Offer offer = ended.session->algorithm().offer();
  Collect<CostsReply, CostsReply> told([](CostsReply& reply) { return reply; });
  const CostsNote note{Items::all(), Part::train, offer.packing()};
  const std::vector<ClientId> asked = {2};
  ended.session->fleet().ask_eval(costs_job(), asked, Shelf(offer.items(), Precision::f64),
                                  [&](ClientId) { return note; }, {&told});
  ASSERT_EQ(told.items.size(), 1u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(told.items[0].second.costs[k].value, ended.cost(2, Part::train, offer.models[k]), 1e-9);
  }
}

TEST(Handover, CountsNoBytesAndIsTheSameOverAWire) {
  for (const char* method : {"ifca", "ditto", "fedgmm"}) {
    Ended here(TableRun::config(method, "[fleet]\nblock = 1\n"));
    Ended there(TableRun::config(method, "[fleet]\nkind = \"scramble\"\n"));
    EXPECT_EQ(here.session->fleet().traffic().eval, here.evaluation.traffic.eval) << method;
    EXPECT_EQ(there.session->fleet().traffic().down, here.session->fleet().traffic().down) << method;
    EXPECT_EQ(there.handover.temperature, here.handover.temperature) << method;
    EXPECT_EQ(there.handover.files(), here.handover.files()) << method;
    EXPECT_EQ(there.handover.extras, here.handover.extras) << method;
    for (const auto& [client, model] : here.handover.of_client) {
      EXPECT_EQ(Vec(there.handover.of_client.at(client)), Vec(model)) << method;
    }
  }
}

TEST(Handover, HasTheModelsOfHonestClients) {
  const Ended ended(TableRun::config("ditto", "[attack]\nkind = \"sign-flip\"\nfraction = 0.2\n"));
  ASSERT_EQ(ended.session->liars().size(), 2u);
  EXPECT_EQ(ended.handover.of_client.size(), 8u);
  for (const ClientId liar : ended.session->liars()) EXPECT_FALSE(ended.handover.of_client.contains(liar));
  EXPECT_TRUE(ended.handover.models.empty()) << "nothing was found to assign to";
}

TEST(Handover, KeepsWhatClientsRememberOnlyForThoseWithNames) {
  const Ended named(TableRun::config("knn-per"));
  EXPECT_EQ(named.handover.memories.size(), static_cast<std::size_t>(TableRun::kClients));
  const Ended drawn(R"(
[data]
source = "blobs"
[clients]
count = 3
samples = 9
[rounds]
count = 4
[algorithm]
kind = "knn-per"
)");
  EXPECT_TRUE(drawn.handover.memories.empty());
  EXPECT_TRUE(drawn.handover.clients.empty());
  EXPECT_EQ(drawn.handover.files(), (std::vector<std::string>{"models/cluster-0.safetensors"}));
}

TEST(Handover, OfVeryManyClientsModelsAreNotWritten) {
  Ended ended(R"(
[data]
source = "mixed-linear"
dimension = 1
[clients]
count = 2001
samples = 4
[model]
kind = "linear"
[local]
solver = "gd"
[rounds]
count = 4
[algorithm]
kind = "local"
)");
  EXPECT_TRUE(ended.handover.of_client.empty());
  bool said = false;
  for (const Event& event : ended.session->fleet().take_events()) {
    said = said || event.text.find("2001 clients are not written") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace coterie::handover_test
