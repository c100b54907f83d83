#include "run/data_view.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/disk.h"
#include "coterie/error.h"
#include "support/table_run.h"

namespace coterie::data_view_test {
namespace {

class DataViewTest : public testing::Test {
 protected:
  DataView view(const std::string& config, std::vector<std::string> overrides = {}) {
    write_atomically(folder_.file("c.toml"), config);
    RunRequest request;
    request.file = folder_.file("c.toml");
    request.overrides = std::move(overrides);
    return view_data(request);
  }
  TempFolder folder_;
};

TEST_F(DataViewTest, CountsRowsByClassAndClient) {
  write_atomically(
      folder_.file("table.csv"),
      "who,x,y\na,1,no\na,2,no\na,3,yes\na,4,no\na,5,yes\nb,1,yes\nb,2,yes\nb,3,yes\nb,4,yes\nb,5,no\n");
  const DataView seen = view(
      "[data]\nsource = \"csv\"\nfile = \"table.csv\"\nclient = \"who\"\ntarget = \"y\"\n"
      "[clients]\nparts = { train = 1.0, test = 0.0 }\n");
  EXPECT_EQ(seen.target, "y");
  EXPECT_EQ(seen.columns, (std::vector<std::string>{"no", "yes"}));
  ASSERT_EQ(seen.clients.size(), 2u);
  EXPECT_EQ(seen.clients[0].called(), "a");
  EXPECT_EQ(seen.clients[0].counts, (std::vector<double>{3, 2}));
  EXPECT_EQ(seen.clients[1].counts, (std::vector<double>{1, 4}));
}

TEST_F(DataViewTest, RangesOfATargetAreInItsUnitsAndHoldEquallyManyRows) {
  std::string table = "who,x,y\n";
  for (int i = 0; i < 50; ++i)
    table += (i < 25 ? "a," : "b,") + std::to_string(i % 7) + "," + std::to_string(1000 + i) + "\n";
  write_atomically(folder_.file("table.csv"), table);
  const DataView seen = view(
      "[data]\nsource = \"csv\"\nfile = \"table.csv\"\nclient = \"who\"\ntarget = \"y\"\ntask = "
      "\"regression\"\n"
      "[clients]\nparts = { train = 1.0, test = 0.0 }\n");
  EXPECT_EQ(seen.columns, (std::vector<std::string>{"below 1010", "1010 to 1020", "1020 to 1030",
                                                    "1030 to 1040", "from 1040"}));
  EXPECT_EQ(seen.clients[0].counts, (std::vector<double>{10, 10, 5, 0, 0}));
}

TEST_F(DataViewTest, ShowsShiftsTrueClustersAndTheFirstOfASweep) {
  const std::string config =
      "[data]\nsource = \"digits\"\n[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n[clients]\ncount = 6\n"
      "[sweep]\nseed = [4, 5]\n\"algorithm.kind\" = [\"ifca\", \"fedavg\"]\n";
  const DataView seen = view(config);
  EXPECT_EQ(seen.truth_names, (std::vector<std::string>{"rotate 0", "rotate 90"}));
  EXPECT_EQ(seen.columns.size(), 10u);
  const DataView::Client& one = seen.clients.front();
  EXPECT_EQ(one.shifts, (std::vector<std::string>{seen.truth_names[one.info.truth]}));
  EXPECT_EQ(std::accumulate(one.counts.begin(), one.counts.end(), 0.0), one.info.train);
  ASSERT_EQ(seen.notes.size(), 1u);
  EXPECT_NE(seen.notes[0].find("2 different data sets; this is that of its first run, seed=4"),
            std::string::npos)
      << seen.notes[0];
  EXPECT_TRUE(view(config, {"seed=4"}).notes.empty());
}

TEST_F(DataViewTest, SaysWhatIsWrongAsARunWould) {
  EXPECT_THROW(view("[data]\nsource = \"csv\"\nfile = \"none.csv\"\ntarget = \"y\"\n"), BadConfig);
  EXPECT_THROW(view("[data]\nsource = \"digts\"\n"), BadConfig);
}

}  // namespace
}  // namespace coterie::data_view_test
