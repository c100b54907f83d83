// Whole runs in folders: what is left of one that fails, and what a longer one makes of it.
#include "coterie/run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "coterie/error.h"
#include "support/temp_folder.h"

namespace coterie::run_test {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

RunRequest request(const TempFolder& temp, const std::string& name, const std::string& text) {
  RunRequest request;
  request.file = name + ".toml";
  request.text = text;
  request.out = temp.file(name);
  request.threads = 1;
  request.quiet = true;
  return request;
}

// In round 3 every liar sends NaN, and the quorum asks for all.
TEST(Run, HasACheckpointOfTheRoundBeforeTheOneThatFailed) {
  const std::string config = R"(
[data]
source = "mixed-linear"
dimension = 3
[clients]
count = 8
samples = 10
[model]
kind = "linear"
intercept = false
[algorithm]
kind = "fedavg"
[rounds]
count = 5
[fleet]
quorum = 1.0
[attack]
kind = "nan"
fraction = 0.5
start = 3
[checkpoint]
every = )";
  TempFolder temp;
  EXPECT_THROW(run_experiment(request(temp, "often", config + "2\n")), Error);
  EXPECT_TRUE(std::filesystem::exists(temp.file("often/checkpoint/checkpoint.bin")));
  EXPECT_THROW(run_experiment(request(temp, "seldom", config + "10\n")), Error);
  EXPECT_FALSE(std::filesystem::exists(temp.file("seldom/checkpoint/checkpoint.bin")));
  EXPECT_NE(text_of(temp.file("often/events.jsonl")).find("\"rejected\""), std::string::npos)
      << "the reasons are told";
}

TEST(Run, EvaluatesItsLastRoundWhetherItIsDueOrNot) {
  TempFolder temp;
  run_experiment(request(temp, "run", R"(
[data]
source = "mixed-linear"
dimension = 3
[clients]
count = 8
samples = 10
[model]
kind = "linear"
intercept = false
[algorithm]
kind = "fedavg"
[rounds]
count = 3
[evaluate]
every = 2
)"));
  std::istringstream rounds(text_of(temp.file("run/rounds.jsonl")));
  std::vector<bool> judged;
  for (std::string line; std::getline(rounds, line);)
    judged.push_back(line.find("\"loss\"") != std::string::npos);
  EXPECT_EQ(judged, (std::vector<bool>{false, true, true}));
  EXPECT_NE(text_of(temp.file("run/summary.json")).find("\"loss\""), std::string::npos);
}

// A client chooses its model by its training samples of the round: the evaluation of round 2, which a longer
// run makes again, must not take those of another.
TEST(Run, MadeLongerWithFreshSamplesHasTheBitsOfOneThatWasLong) {
  const std::string config = R"(
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 2
noise = 3.0
redeal = "epoch"
[clients]
count = 12
samples = 4
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
solver = "gd"
rate = 0.01
[rounds]
count = )";
  TempFolder temp;
  run_experiment(request(temp, "long", config + "4\n"));
  run_experiment(request(temp, "grown", config + "2\n"));
  RunRequest longer = request(temp, "grown", config + "4\n");
  longer.resume = true;
  EXPECT_TRUE(run_experiment(longer)[0].finished);
  const std::string rounds = text_of(temp.file("long/rounds.jsonl"));
  EXPECT_NE(rounds, "");
  EXPECT_EQ(text_of(temp.file("grown/rounds.jsonl")), rounds);
}

}  // namespace
}  // namespace coterie::run_test
