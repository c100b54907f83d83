// The fleet `mpi` gives the bits of `threads`. Started by mpirun (fleets.mpi-1, -2, -3) these tests play one
// run on all ranks together; each rank compares with what it plays on its own. Without the add-on they are
// skipped, and without mpirun there is one rank.
#include <gtest/gtest.h>

#include "base/add_ons.h"
#include "data/formats/safetensors.h"
#include "fleet/fleets.h"
#include "support/small_session.h"

namespace coterie::mpi_test {
namespace {

bool is_there_mpi() {
  for (const AddOn& one : add_ons()) {
    if (one.name == "mpi") return is_built(one);
  }
  return false;
}

// A folder that all ranks see.
class CommonFolder {
 public:
  explicit CommonFolder(Ranks& ranks) : ranks_(ranks) {
    if (ranks.leads()) own_.emplace();
    std::string path = own_ ? own_->path() : "";
    path_ = decode<std::string>(from_first(ranks, encode(path, Precision::f64)), Precision::f64);
  }
  ~CommonFolder() { wait_for_all(ranks_); }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  Ranks& ranks_;
  std::optional<TempFolder> own_;
  std::string path_;
};

class MpiMethods : public EveryAlgorithm {
 protected:
  void SetUp() override {
    if (!is_there_mpi()) GTEST_SKIP() << "the add-on is not built: make mpi";
  }
};

std::pair<SmallEnd, Traffic> played(const SmallChoice& choice,
                                    const std::shared_ptr<const Federation>& data) {
  SmallSession run(choice, data);
  run.play(1, 4);
  SmallEnd end(*run);
  run->deliver();
  return {std::move(end), run->fleet().traffic()};
}

TEST_P(MpiMethods, GiveTheSameBitsAndBytes) {
  const auto [one, traffic] = played({GetParam()}, federation);
  for (const unsigned threads : {1u, 2u}) {
    const auto [other, bytes] =
        played({.algorithm = GetParam(), .fleet = "mpi", .threads = threads}, federation);
    EXPECT_EQ(other, one) << threads;
    EXPECT_EQ(bytes.up, traffic.up) << threads;
    EXPECT_EQ(bytes.down, traffic.down) << threads;
    EXPECT_EQ(bytes.eval, traffic.eval) << threads;
    EXPECT_EQ(bytes.overhead, traffic.overhead) << threads;
  }
}

TEST_P(MpiMethods, WithLiarsToo) {
  for (const char* kind : {"sign-flip", "alie", "cluster-capture", "label-flip"}) {
    const std::string attack = std::string("[attack]\nkind = \"") + kind + "\"\nfraction = 0.25\n";
    std::optional<SmallEnd> one;
    try {
      one = small_run({GetParam(), attack}, federation);
    } catch (const BadConfig&) {
      continue;  // the attack has no meaning for it
    }
    EXPECT_EQ(small_run({.algorithm = GetParam(), .more = attack, .fleet = "mpi"}, federation), *one) << kind;
  }
}

// Broken off on all ranks, resumed by all ranks, and by one process alone.
TEST_P(MpiMethods, GoOnFromACheckpoint) {
  Ranks& ranks = launched_ranks();
  const SmallEnd one = small_run({GetParam()}, federation);
  CommonFolder folder(ranks);
  Archive saved = Archive::writer(Precision::f64);
  {
    SmallSession first({.algorithm = GetParam(), .fleet = "mpi"}, federation, folder.path());
    first.play(1, 2);
    first->save(saved);
  }
  const Bytes bytes = saved.take();
  const auto resumed = [&](const char* fleet) {
    SmallSession second({.algorithm = GetParam(), .fleet = fleet}, federation, folder.path());
    Archive read = Archive::reader(bytes, Precision::f64);
    second->load(read);
    read.expect_end();
    second.play(3, 4);
    return SmallEnd(*second);
  };
  wait_for_all(ranks);
  EXPECT_EQ(resumed("mpi"), one);
  wait_for_all(ranks);
  // What comes after a checkpoint leaves alone what it names.
  if (ranks.leads()) {
    EXPECT_EQ(resumed("threads"), one);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MpiMethods, every_algorithm(), test_name);

class MpiStarts : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!is_there_mpi()) GTEST_SKIP() << "the add-on is not built: make mpi";
  }
  std::pair<std::vector<Vec>, std::uint64_t> started(const std::string& fleet,
                                                     const CommonFolder& folder) const {
    const std::string text =
        "seed = 7\nprecision = \"double\"\n[data]\nsource = \"mixed-linear\"\nclusters = 3\ndimension = 4\n"
        "[clients]\ncount = 12\nsamples = 20\n[model]\nkind = \"linear\"\nintercept = false\n[local]\nsolver "
        "= \"gd\"\n"
        "[algorithm]\nkind = \"ifca\"\n[fleet]\nblock = 2\nkind = \"" +
        fleet + "\"\n[clusters]\ncount = 3\ninit = \"" + GetParam() + "\"\n[clusters.file]\npath = \"" +
        folder.path() + "\"\n[clusters.given]\nmodels = [[1, 2, 3, 4], [0, 0, 0, 0], [-1, 0, 1, 0]]\n";
    Problems problems;
    const Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 2, "");
    session.start();
    session.round(1);
    const Traffic& traffic = session.fleet().traffic();
    return {session.algorithm().offer().models, traffic.up + traffic.down};
  }
};

TEST_P(MpiStarts, GiveTheSameBitsAndBytes) {
  Ranks& ranks = launched_ranks();
  CommonFolder folder(ranks);
  const std::vector<Layer> layers = {{.name = "weight", .shape = {1, 4}}};
  for (int k = 0; k < 3 && ranks.leads(); ++k) {
    write_safetensors(folder.file("cluster-" + std::to_string(k) + ".safetensors"), layers, Vec(4, 0.5 * k),
                      Precision::f64, {});
  }
  wait_for_all(ranks);
  EXPECT_EQ(started("mpi", folder), started("threads", folder));
}

INSTANTIATE_TEST_SUITE_P(All, MpiStarts, testing::ValuesIn(Registry<Init>::instance().names()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : info.param) name += c == '+' ? 'p' : c == '-' ? '_' : c;
                           return name;
                         });

// Each rank has its own rows of a pool, and no others.
TEST(Mpi, RowsOfAPoolAreDealt) {
  if (!is_there_mpi()) GTEST_SKIP() << "the add-on is not built: make mpi";
  const auto ended = [](const std::string& fleet) {
    const std::string text =
        "seed = 2\n[data]\nsource = \"digits\"\n[[shift]]\nkind = \"rotate\"\nangles = [0, 180]\n"
        "[clients]\ncount = 30\nreuse = \"per-cluster\"\n[unseen]\ncount = 3\n[model]\nkind = \"softmax\"\n"
        "[clusters]\ncount = 2\ninit = \"random\"\n[local]\nrate = 0.1\n[algorithm]\nkind = \"ifca\"\n"
        "[evaluate]\ntests = \"clients\"\n[fleet]\nblock = 2\nkind = \"" +
        fleet + "\"\n";
    Problems problems;
    const Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 1, "");
    session.start();
    session.round(1);
    const Session::DataMark mark = session.data_mark();
    SmallEnd end(session);
    return std::tuple(end.models, end.losses, mark.fingerprint);
  };
  EXPECT_EQ(ended("mpi"), ended("threads"));
}

// One rank fails with its clients: all throw the same.
TEST(Mpi, AFailureOfOneRankIsOneOfAll) {
  if (!is_there_mpi()) GTEST_SKIP() << "the add-on is not built: make mpi";
  Ranks& ranks = launched_ranks();
  const unsigned last = ranks.count() - 1;
  std::string said;
  try {
    together(ranks, [&] {
      if (ranks.rank() == last) throw Error("its disk is full");
    });
  } catch (const Error& e) {
    said = e.what();
  }
  EXPECT_TRUE(said.ends_with("its disk is full")) << said;
  EXPECT_EQ(said.starts_with("rank "), last > 0) << said;
}

}  // namespace
}  // namespace coterie::mpi_test
