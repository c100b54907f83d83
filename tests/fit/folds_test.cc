#include "fit/folds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/disk.h"
#include "run/meeting.h"
#include "run/own_data.h"
#include "support/given_federation.h"
#include "support/temp_folder.h"

namespace coterie::folds_test {
namespace {

// Clients with so many rows, whose feature is the row's number; with kins or times where these are given.
class BondedFederation : public GivenFederation {
 public:
  BondedFederation(std::vector<std::size_t> counts, std::vector<RowBonds> bonds, std::size_t classes = 0)
      : GivenFederation(clients(counts, classes)), bonds_(std::move(bonds)) {}
  RowBonds bonds(ClientId client) const override { return bonds_.empty() ? RowBonds{} : bonds_[client]; }

 private:
  static std::vector<Samples> clients(const std::vector<std::size_t>& counts, std::size_t classes) {
    std::vector<Samples> all;
    for (const std::size_t count : counts) {
      Samples samples;
      samples.shape = {classes > 0 ? Task::classification : Task::regression, 1, classes};
      std::vector<double> numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0.0);
      samples.features = numbers;
      for (std::size_t i = 0; i < count; ++i)
        samples.targets.push_back(classes > 0 ? static_cast<double>(i % classes) : 0.5);
      all.push_back(std::move(samples));
    }
    return all;
  }
  std::vector<RowBonds> bonds_;
};

std::vector<std::uint32_t> together(const FoldRows& rows) {
  std::vector<std::uint32_t> all = rows.train;
  all.insert(all.end(), rows.held_out.begin(), rows.held_out.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Folds, AreDisjointAndComplete) {
  const BondedFederation base({23, 5, 2, 100}, {});
  const FoldPlan plan = make_folds(base, 5, 1);
  ASSERT_EQ(plan.size(), 5u);
  for (ClientId client = 0; client < 4; ++client) {
    std::vector<std::uint32_t> judged;
    for (const auto& fold : plan.folds) {
      const std::vector<std::uint32_t> all = together(fold[client]);
      ASSERT_EQ(all.size(), base.info(client).train);
      for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
      EXPECT_FALSE(fold[client].train.empty());
      judged.insert(judged.end(), fold[client].held_out.begin(), fold[client].held_out.end());
    }
    std::sort(judged.begin(), judged.end());
    EXPECT_EQ(judged.size(), base.info(client).train);
    EXPECT_EQ(std::adjacent_find(judged.begin(), judged.end()), judged.end());
  }
  EXPECT_EQ(plan.judged_rows(), 130u);
  EXPECT_EQ(plan.unjudged, 0u);
}

TEST(Folds, OfOneClientAreAlikeInSizeAndClasses) {
  const FoldPlan plan = make_folds(BondedFederation({40}, {}, 4), 5, 1);
  for (const auto& fold : plan.folds) {
    ASSERT_EQ(fold[0].held_out.size(), 8u);
    std::vector<int> counts(4, 0);
    for (const std::uint32_t row : fold[0].held_out) ++counts[row % 4];
    EXPECT_EQ(counts, std::vector<int>(4, 2));
  }
}

TEST(Folds, ClientsOfOneRowTrainOnly) {
  const FoldPlan plan = make_folds(BondedFederation({1, 10}, {}), 2, 1);
  EXPECT_EQ(plan.unjudged, 1u);
  EXPECT_EQ(plan.folds[0][0].train.size(), 1u);
  EXPECT_TRUE(plan.folds[0][0].held_out.empty());
}

TEST(Folds, KeepAKinTogether) {
  Federation::RowBonds bonds;
  for (std::uint32_t row = 0; row < 30; ++row) bonds.kin.push_back(row / 4);
  const FoldPlan plan = make_folds(BondedFederation({30}, {bonds}), 3, 1);
  for (const auto& fold : plan.folds) {
    std::set<std::uint32_t> held;
    for (const std::uint32_t row : fold[0].held_out) held.insert(bonds.kin[row]);
    EXPECT_FALSE(held.empty());
    for (const std::uint32_t row : fold[0].train) EXPECT_FALSE(held.contains(bonds.kin[row]));
  }
}

TEST(Folds, OfTimeTrainOnEarlierRowsOnly) {
  Federation::RowBonds bonds;
  for (std::uint32_t row = 0; row < 50; ++row) bonds.times.push_back((row * 7) % 50);
  const FoldPlan plan = make_folds(BondedFederation({50}, {bonds}), 4, 1);
  EXPECT_TRUE(plan.in_time);
  std::size_t judged = 0;
  for (const auto& fold : plan.folds) {
    std::uint32_t latest = 0, earliest = 50;
    for (const std::uint32_t row : fold[0].train) latest = std::max(latest, bonds.times[row]);
    for (const std::uint32_t row : fold[0].held_out) earliest = std::min(earliest, bonds.times[row]);
    EXPECT_LT(latest, earliest);
    judged += fold[0].held_out.size();
  }
  EXPECT_EQ(judged, 40u);  // all but the first of five stretches
}

TEST(Folds, AFederationShowsWhatItsFoldLeaves) {
  const auto base = std::make_shared<BondedFederation>(std::vector<std::size_t>{10, 6},
                                                       std::vector<Federation::RowBonds>{});
  const auto plan = std::make_shared<const FoldPlan>(make_folds(*base, 2, 3));
  const FoldedFederation folded(base, plan, 1, 0.1);
  const FoldedFederation blank(base, plan, 1, 0, true);
  EXPECT_EQ(folded.info(0).train, plan->folds[1][0].train.size());
  EXPECT_EQ(folded.info(0).test, plan->folds[1][0].held_out.size());
  const auto held = folded.samples(0, Part::test, 0);
  ASSERT_EQ(held->size(), plan->folds[1][0].held_out.size());
  for (std::size_t i = 0; i < held->size(); ++i) {
    double row = 0;
    held->copy_row(i, std::span(&row, 1));
    EXPECT_EQ(row, plan->folds[1][0].held_out[i]);
    blank.samples(0, Part::test, 0)->copy_row(i, std::span(&row, 1));
    EXPECT_EQ(row, 0);
  }
}

// A table of three clients of unlike sizes, as one process reads it, and as each client reads its own rows.
void expect_clients_cut_alike(const std::string& more) {
  TempFolder folder;
  std::string text = "who,x,t,lot,y\n";
  for (int i = 0; i < 70; ++i) {
    text += fmt::format("{},{},{},l{},{}\n",
                        i % 7 == 0   ? "anna"
                        : i % 2 == 0 ? "bert"
                                     : "carl",
                        i * i % 31, (i * 13) % 70, i / 3, i % 5 > 1 ? "yes" : "no");
  }
  write_atomically(folder.file("table.csv"), text);
  Table table = parse_toml("seed = 4\nprecision = \"double\"\n[data]\nsource = \"csv\"\nfile = \"" +
                               folder.file("table.csv") +
                               "\"\nclient = \"who\"\ntarget = \"y\"\nstandardise = \"none\"\n" + more,
                           "exp.toml");
  Problems problems;
  const Config config = read_config(table, "exp.toml", problems);
  problems.raise_if_any();
  const Session session(config, "", 1, "");
  const std::shared_ptr<const Federation> base = session.shared_federation();
  const auto plan = std::make_shared<const FoldPlan>(make_folds(*base, 3, 8));
  Agreement agreement = Agreement::of(*base, false);
  for (ClientId client = 0; client < 3; ++client) {
    const std::string name = base->name(client);
    const auto own = open_own_data(reading_text(config), {folder.file("table.csv"), name});
    for (std::uint32_t fold = 0; fold < 3; ++fold) {
      for (const bool blank : {false, true}) {
        const FoldedFederation folded(base, plan, fold, 0.0, blank);
        agreement.cut = {3, fold, 8, blank};
        own->agree(client, Agreement::read(agreement.text()), session.federation().table()->classes);
        for (const Part part : {Part::train, Part::validation, Part::test}) {
          const auto here = folded.samples(client, part, 0), there = own->samples(client, part, 0);
          ASSERT_EQ(there->targets, here->targets) << name << ' ' << fold << ' ' << more;
          EXPECT_EQ(there->features, here->features);
        }
      }
    }
  }
}

TEST(Folds, AClientCutsItsOwnRowsAsASimulationDoes) {
  expect_clients_cut_alike("drop = [\"t\", \"lot\"]\n");
  expect_clients_cut_alike("drop = [\"t\"]\ngroup = \"lot\"\n");
  expect_clients_cut_alike("drop = [\"lot\"]\ntime = \"t\"\n");
  expect_clients_cut_alike("group = \"lot\"\ntime = \"t\"\n");
}

TEST(Folds, AnAgreementHasACutThatCanBe) {
  const BondedFederation base({40}, {});
  Agreement agreement = Agreement::of(base, false);
  const std::string whole = agreement.text();
  EXPECT_FALSE(Agreement::read(whole).cut.has_value());
  agreement.cut = {5, 4, ~std::uint64_t{0}, true};
  const std::string text = agreement.text();
  EXPECT_NE(run_name("", text), run_name("", whole)) << "runs of different rows have different names";
  const RowCut cut = *Agreement::read(text).cut;
  EXPECT_EQ(cut.folds, 5u);
  EXPECT_EQ(cut.fold, 4u);
  EXPECT_EQ(cut.seed, ~std::uint64_t{0});
  EXPECT_TRUE(cut.blank);
  for (const char* bad : {"folds = 5\nfold = 5\ncut_seed = 1\n", "folds = 1\nfold = 0\ncut_seed = 1\n",
                          "folds = 2000000000\nfold = 0\ncut_seed = 1\n", "folds = 5\nfold = 1\n",
                          "folds = 5\nfold = -1\ncut_seed = 1\n", "features = \"zeros\"\n",
                          "folds = 5\nfold = 1\ncut_seed = 1\nfeatures = \"ones\"\n"})
    EXPECT_THROW(Agreement::read(bad + whole), BadConfig) << bad;
}

TEST(Folds, DependOnTheSeedAlone) {
  const BondedFederation base({40}, {});
  EXPECT_EQ(make_folds(base, 5, 1).folds[0][0].held_out, make_folds(base, 5, 1).folds[0][0].held_out);
  EXPECT_NE(make_folds(base, 5, 1).folds[0][0].held_out, make_folds(base, 5, 2).folds[0][0].held_out);
}

}  // namespace
}  // namespace coterie::folds_test
