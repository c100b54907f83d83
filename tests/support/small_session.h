// Whole runs in milliseconds, for tests that try every registered algorithm with every plug-in of some kind:
// twelve clients with ten samples each of four classes, in two true clusters, of whom nine are asked a round,
// for four rounds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/option_readers.h"
#include "run/session.h"
#include "support/temp_folder.h"

namespace coterie {

struct SmallChoice {
  std::string algorithm;
  std::string more = "";  // further tables of the config
  std::string fleet = "threads";
  unsigned threads = 1;
  std::string participation = "0.75";
  std::optional<std::string> options = {};  // of the algorithm; default: small_options
  bool defaults = false;                    // rate and start are those of a config that says nothing
};

// What makes a method do in four rounds what it is there for.
inline std::string small_options(const std::string& algorithm) {
  if (algorithm == "federated-clustering") return "quantile = 0.5\n";  // balls of four, of nine
  if (algorithm == "cfl" || algorithm == "hcfl") return "eps1 = 10\neps2 = 0.001\nmost = 3\n";
  if (algorithm == "icfl") return "alpha = 0.05\nmost = 3\n";
  if (algorithm == "hcfl-plus") return "rho = 0.01\nmost = 3\n";
  if (algorithm == "stocfl") return "tau = 0.6\n";
  // Minima of a network take hundreds of steps, which promise no more than a few do.
  OptionLister lister;
  Registry<Algorithm>::instance().make(algorithm)->options(lister);
  const bool minimises = std::any_of(lister.docs.begin(), lister.docs.end(),
                                     [](const OptionDoc& doc) { return doc.name == "iterations"; });
  return minimises ? "iterations = 5\n" : "";
}

inline std::string small_toml(const SmallChoice& choice) {
  const std::string rate = choice.defaults ? "" : "rate = 0.1\n";
  const std::string init = choice.defaults ? "" : "init = \"random\"\n";
  return "seed = 3\n[data]\nsource = \"blobs\"\nreach = 2.0\n[clients]\ncount = 12\nsamples = 10\n"
         "[model]\nkind = \"mlp\"\nhidden = [3]\n[local]\nsolver = \"sgd\"\nbatch = 4\n" +
         rate + "[clusters]\ncount = 2\n" + init +
         "[rounds]\ncount = 4\nparticipation = " + choice.participation + "\n[fleet]\nkind = \"" +
         choice.fleet + "\"\nquorum = 0\n[algorithm]\nkind = \"" + choice.algorithm + "\"\n[algorithm." +
         choice.algorithm + "]\n" + choice.options.value_or(small_options(choice.algorithm)) + choice.more;
}

class SmallSession {
 public:
  // `folder`: where client states live, for another session to go on from them.
  explicit SmallSession(const SmallChoice& choice, std::shared_ptr<const Federation> federation = nullptr,
                        const std::string& folder = "")
      : config_(read(small_toml(choice))),
        session_(config_, "", choice.threads, folder, std::move(federation)) {}

  Session& operator*() { return session_; }
  Session* operator->() { return &session_; }
  void play(std::uint32_t first, std::uint32_t last) {
    if (first == 1) session_.start();
    for (std::uint32_t t = first; t <= last; ++t) session_.round(t);
  }

 private:
  static Config read(const std::string& text) {
    Problems problems;
    Config config = read_config(parse_toml(text, "small.toml"), "small.toml", problems);
    problems.raise_if_any();
    return config;
  }

  Config config_;
  Session session_;
};

// All that could differ when a run has ended.
struct SmallEnd {
  Bytes server;
  std::vector<Vec> models;
  std::map<ClientId, double> losses;  // of those judged, by what they are offered and what they keep

  explicit SmallEnd(Session& session) : models(session.algorithm().offer().models) {
    Archive a = Archive::writer(Precision::f64);
    session.algorithm().fields(a);
    server = a.take();
    for (const ClientScore& score : session.evaluate(4, true).scores) losses[score.client] = score.loss;
  }
  bool operator==(const SmallEnd&) const = default;

  // Whether the other run ended in the same way for everybody who is judged here and there.
  bool same_for_all(const SmallEnd& other) const {
    for (const auto& [client, loss] : losses) {
      const auto there = other.losses.find(client);
      if (there != other.losses.end() && there->second != loss) return false;
    }
    return models == other.models;
  }
  bool finite() const {
    for (const Vec& model : models) {
      if (!std::all_of(model.begin(), model.end(), [](double x) { return std::isfinite(x); })) return false;
    }
    return std::all_of(losses.begin(), losses.end(),
                       [](const auto& one) { return std::isfinite(one.second); });
  }
  double loss() const {
    double sum = 0;
    for (const auto& [client, loss] : losses) sum += loss;
    return sum / static_cast<double>(losses.size());
  }
};

inline SmallEnd small_run(const SmallChoice& choice, const std::shared_ptr<const Federation>& federation) {
  SmallSession run(choice, federation);
  run.play(1, 4);
  return SmallEnd(*run);
}

// The same, broken off after two rounds and resumed.
inline SmallEnd resumed_run(const SmallChoice& choice, const std::shared_ptr<const Federation>& federation) {
  TempFolder folder;
  Archive saved = Archive::writer(Precision::f64);
  {
    SmallSession first(choice, federation, folder.path());
    first.play(1, 2);
    first->save(saved);
  }
  const Bytes bytes = saved.take();
  SmallSession second(choice, federation, folder.path());
  Archive read = Archive::reader(bytes, Precision::f64);
  second->load(read);
  read.expect_end();
  second.play(3, 4);
  return SmallEnd(*second);
}

// For tests of one algorithm each, on one federation.
class EveryAlgorithm : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { federation = SmallSession({"fedavg"})->shared_federation(); }
  static void TearDownTestSuite() { federation.reset(); }
  static inline std::shared_ptr<const Federation> federation;

  // Expects the same bits from one and two threads, from an encoding fleet and from a run that was broken
  // off.
  static void expect_same_bits(const SmallChoice& choice, const std::string& what) {
    const SmallEnd one = small_run(choice, federation);
    SmallChoice other = choice;
    other.threads = 2;
    EXPECT_EQ(small_run(other, federation), one) << what << ", with two threads";
    EXPECT_EQ(resumed_run(choice, federation), one) << what << ", resumed";
    other.fleet = "scramble";
    EXPECT_EQ(small_run(other, federation), one) << what << ", over a bad network";
  }
};

inline auto every_algorithm() { return testing::ValuesIn(Registry<Algorithm>::instance().names()); }
inline std::string test_name(const testing::TestParamInfo<std::string>& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace coterie
