// A fit over a network comes to what the same fit comes to in one process, and its clients have the last
// word.
#include "fit/fit.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/value.h"
#include "fit/planted_table.h"
#include "grpc/world.h"

namespace coterie::grpc_fit_test {
namespace {

using Json = nlohmann::json;

constexpr int kClients = 14;

// Two groups of 14 clients. `lots`: a column of rows that belong together, two by two.
std::string grouped_table(bool lots) {
  std::string text;
  int row = 0;
  for (const std::string& line : split(planted_table(Planted::groups, kClients, 26, 2), '\n')) {
    if (line.empty()) continue;
    if (lots) text += row == 0 ? "lot," : fmt::format("l{},", row % 26 / 2);
    text += line + "\n";
    ++row;
  }
  return text;
}

std::string config_of(const std::string& file, const std::string& data) {
  return "name = \"planted\"\nseed = 3\n[data]\nsource = \"csv\"\nfile = \"" + file +
         "\"\nclient = \"who\"\ntarget = \"y\"\n" + data + "[fit]\nclusters = \"2\"\nfolds = 2\n";
}

class FitWorld {
 public:
  FitWorld(const std::string& table, const std::string& data)
      : world_(
            (write_atomically(folder_.file("table.csv"), table), config_of(folder_.file("table.csv"), data)),
            false) {}

  NetworkWorld& world() { return world_; }
  Table served_config() const { return read_toml(world_.file("dealt/serve.toml")); }

  FitOutcome serve(Table config, bool resume = false) {
    const std::unique_ptr<Server> server = world_.network->serve(world_.serve_request());
    world_.port = server->port();
    FitRequest request = fit_request("served");
    set_path(config, "fleet.kind", {std::string("grpc"), {}});
    request.config = std::move(config);
    request.resume = resume;
    request.elsewhere = server.get();
    FitOutcome outcome = run_fit(request);
    server->close("the fit is finished");
    return outcome;
  }
  Json here() {
    FitRequest request = fit_request("here");
    request.config = read_toml(world_.file("exp.toml"));
    EXPECT_TRUE(run_fit(request).finished);
    return decision("here");
  }
  Json decision(const std::string& out) const {
    return Json::parse(read_file(world_.file(out + "/decision.json")));
  }

 private:
  FitRequest fit_request(const std::string& out) const {
    FitRequest request;
    request.file = world_.file("exp.toml");
    request.out = world_.file(out);
    request.quiet = true;
    request.threads = 1;
    return request;
  }

  TempFolder folder_;
  NetworkWorld world_;
};

// All but what nobody knows of tables that stay where they are.
void expect_same(Json there, Json here) {
  EXPECT_TRUE(there["data"]["rows_left_out"].is_null());
  there["data"].erase("rows_left_out");
  here["data"].erase("rows_left_out");
  for (const auto& [key, value] : here.items()) EXPECT_EQ(there[key], value) << key;
  EXPECT_EQ(there.size(), here.size());
}

TEST(FitOverANetwork, DecidesAsInOneProcess) {
  FitWorld fit(grouped_table(false), "drop = [\"size\"]\n");
  fit.world().join_all();
  ASSERT_TRUE(fit.serve(fit.served_config()).finished);
  const Json there = fit.decision("served");
  EXPECT_EQ(there["use"], "clusters");
  EXPECT_EQ(there["groups"]["there_are"], "yes");
  EXPECT_EQ(there["groups"]["members"].size(), std::size_t{kClients});
  expect_same(there, fit.here());
  EXPECT_EQ(fit.world().models("served/run"), fit.world().models("here/run"));
  EXPECT_NE(read_file(fit.world().file("served/fit.txt")).find("as clients told it"), std::string::npos);
  EXPECT_TRUE(is_file(fit.world().file("served/fit.html")));
  for (const std::string& name : fit.world().names())
    EXPECT_TRUE(is_file(fit.world().file("out-" + name + "/model.safetensors"))) << name;
}

// Classes, rows that belong together, and clients that scale by their own rows.
TEST(FitOverANetwork, KeepsRowsTogetherAsInOneProcess) {
  FitWorld fit(grouped_table(true),
               "drop = [\"size\"]\ngroup = \"lot\"\nthreshold = 0.0\nstandardise = \"each\"\n");
  fit.world().join_all();
  ASSERT_TRUE(fit.serve(fit.served_config()).finished);
  expect_same(fit.decision("served"), fit.here());
}

TEST(FitOverANetwork, GoesOnFromWhatIsKept) {
  FitWorld fit(grouped_table(false), "drop = [\"size\"]\ntime = \"x2\"\n");
  fit.world().join_all();
  Table hurried = fit.served_config();
  set_path(hurried, "fit.minutes", {1e-9, {}});
  ASSERT_TRUE(fit.serve(hurried).finished);
  EXPECT_FALSE(fit.decision("served")["cut_after"].is_null());
  fit.world().join_all();
  ASSERT_TRUE(fit.serve(fit.served_config(), true).finished);
  expect_same(fit.decision("served"), fit.here());
}

TEST(FitOverANetwork, DoesWithoutWhatAClientDoesNotTell) {
  FitWorld fit(grouped_table(false), "drop = [\"size\"]\nthreshold = 0.0\n");
  const std::string policy = fit.world().file("policy.toml");
  write_atomically(policy, "losses = false\nlabels = false\n");
  for (const std::string& name : fit.world().names()) {
    JoinRequest request = fit.world().join_request(name);
    if (name == "c03") request.policy = policy;
    fit.world().join(request);
  }
  ASSERT_TRUE(fit.serve(fit.served_config()).finished);
  const Json decision = fit.decision("served");
  const Json& gain = decision["candidates"][2]["gain"];
  EXPECT_EQ(gain["clients"], kClients - 1) << decision["candidates"].dump(2);
  EXPECT_EQ(decision["groups"]["members"].size(), std::size_t{kClients}) << "it still told its estimate";
  EXPECT_NE(read_file(fit.world().file("served/fit.txt"))
                .find("1 client does not tell how many rows of each class there are"),
            std::string::npos);
}

TEST(FitOverANetwork, RefusesColumnsThatDescribeClients) {
  FitWorld fit(grouped_table(false), "");
  Table config = fit.served_config();
  set_path(config, "fit.describe", {Array{{std::string("size"), {}}}, {}});
  try {
    fit.serve(config);
    FAIL() << "nobody has the whole table";
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("fit.describe"), std::string::npos) << e.what();
  }
  EXPECT_FALSE(is_there(fit.world().file("served")));
}

}  // namespace
}  // namespace coterie::grpc_fit_test
