// What every start promises, tested for whatever is registered, in whole sessions.
#include <gtest/gtest.h>

#include "data/formats/safetensors.h"
#include "run/session.h"
#include "support/temp_folder.h"

namespace coterie::contract_test {
namespace {

class InitContract : public testing::TestWithParam<std::string> {
 protected:
  InitContract() {
    std::vector<Layer> layers = {{.name = "weight", .shape = {1, 4}}};
    for (int k = 0; k < 3; ++k) {
      write_safetensors(folder_.file("cluster-" + std::to_string(k) + ".safetensors"), layers,
                        Vec(4, 0.5 * k), Precision::f64, {});
    }
  }
  // A mixture of three regressions whose parameters are known.
  Config config() const {
    std::string text = R"(
seed = 7
precision = "double"
[data]
source = "mixed-linear"
clusters = 3
dimension = 4
[clients]
count = 12
samples = 20
[model]
kind = "linear"
intercept = false
[local]
solver = "gd"
[algorithm]
kind = "ifca"
[clusters]
)";
    text += "count = 3\ninit = \"" + GetParam() + "\"\n";
    text += "[clusters.file]\npath = \"" + folder_.path() + "\"\n";
    text += "[clusters.given]\nmodels = [[1, 2, 3, 4], [0, 0, 0, 0], [-1, 0, 1, 0]]\n";
    return read(text);
  }
  static Config read(const std::string& text) {
    Problems problems;
    Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    return config;
  }
  static std::vector<Vec> start(const Config& config, unsigned threads) {
    Session session(config, "", threads, "");
    session.start();
    return session.algorithm().offer().models;
  }

  TempFolder folder_;
};

TEST_P(InitContract, MakesAsManyModelsAsTheMethodWants) {
  std::vector<Vec> models = start(config(), 1);
  ASSERT_EQ(models.size(), 3u);
  for (const Vec& model : models) EXPECT_EQ(model.size(), 4u);
  EXPECT_NE(models[0], models[1]);
}

TEST_P(InitContract, SameBitsAtAnyNumberOfThreads) { EXPECT_EQ(start(config(), 1), start(config(), 3)); }

TEST_P(InitContract, TheResolvedConfigMakesTheSameStart) {
  Config first = config();
  EXPECT_EQ(start(read(write_toml(first.resolved())), 1), start(first, 1));
}

INSTANTIATE_TEST_SUITE_P(All, InitContract, testing::ValuesIn(Registry<Init>::instance().names()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : info.param) name += c == '+' ? 'p' : c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace coterie::contract_test
