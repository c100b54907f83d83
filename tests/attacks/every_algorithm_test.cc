// Every registered attack on every registered algorithm.
#include <gtest/gtest.h>

#include "support/small_session.h"

namespace coterie::every_algorithm_test {
namespace {

// Why an attack is refused; "": it is not.
std::string refusal(const std::string& algorithm, const std::string& attack) {
  if (algorithm == "local" || algorithm == "local-erm") return "its clients send no vectors";
  const bool votes = algorithm == "ifca" || algorithm == "tiered";
  if (attack == "cluster-capture" && !votes) return "its clients do not name their clusters";
  return "";
}

class EveryAlgorithmAttacked : public EveryAlgorithm {
 protected:
  // The attacks that are not refused.
  static std::vector<std::string> attacks() {
    std::vector<std::string> all;
    for (const std::string& attack : Registry<Attack>::instance().names()) {
      if (attack != "none" && refusal(GetParam(), attack).empty()) all.push_back(attack);
    }
    return all;
  }
  static SmallChoice by(const std::string& attack) {
    return {GetParam(), "[attack]\nkind = \"" + attack + "\"\nfraction = 0.35\n"};
  }
};

TEST_P(EveryAlgorithmAttacked, RefusesOnlyWhatHasNoMeaningAndSaysWhy) {
  for (const std::string& attack : Registry<Attack>::instance().names()) {
    if (attack == "none") continue;
    std::string said;
    try {
      SmallSession(by(attack), federation);
    } catch (const BadConfig& e) {
      said = e.what();
    }
    const std::string expected = refusal(GetParam(), attack);
    EXPECT_EQ(said.empty(), expected.empty()) << attack << ": " << said;
    EXPECT_NE(said.find(expected), std::string::npos) << attack << ": " << said;
  }
}

TEST_P(EveryAlgorithmAttacked, GivesTheSameBitsWhateverTheFleetAndWhenResumed) {
  for (const std::string& attack : attacks()) expect_same_bits(by(attack), attack);
}

TEST_P(EveryAlgorithmAttacked, LiarsKnowOwnersWhereGradientsAreTakenAtOthersModels) {
  SmallChoice owners = by("edge-of-radius");
  owners.more += "knows = \"owners\"\n";
  if (GetParam() == "federated-clustering") {
    expect_same_bits(owners, "edge-of-radius that knows the owners");
  } else {
    EXPECT_THROW(SmallSession(owners, federation), BadConfig);
  }
}

TEST_P(EveryAlgorithmAttacked, EndsOtherwiseButFinite) {
  const SmallEnd honest = small_run({GetParam()}, federation);
  for (const std::string& attack : attacks()) {
    const SmallEnd end = small_run(by(attack), federation);
    EXPECT_FALSE(end.same_for_all(honest)) << attack;
    EXPECT_TRUE(end.finite()) << attack;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithmAttacked, every_algorithm(), test_name);

}  // namespace
}  // namespace coterie::every_algorithm_test
