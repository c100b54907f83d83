// How a federation agrees on the columns of a table: the same numbers, worked out by hand, on every fleet,
// and from training rows alone.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "fleet/agreement.h"
#include "run/session.h"
#include "support/socket_fleet.h"
#include "support/temp_folder.h"

namespace coterie::agreed_columns_test {
namespace {

const Registration<FleetKind> kOverSocket{"socket-columns", "for tests: clients in another process",
                                          [] { return std::make_unique<SocketKind>(); }};

// Training rows of training clients: x 1, 3 (a) and 8 (b), y 10, 30 and 80; z is missing at b. What is marked
// as test, or is of the unseen client c, has huge numbers.
const char* const kTable =
    "who,part,x,z,k,y\n"
    "a,train,1,5,u,10\n"
    "a,train,3,7,v,30\n"
    "a,test,1000,1,u,5000\n"
    "b,train,8,?,v,80\n"
    "b,test,-1000,1,u,40\n"
    "c,train,1e6,1,u,1e6\n"
    "c,test,2e6,1,v,2e6\n";

class AgreedColumns : public testing::Test {
 protected:
  AgreedColumns() { write_whole(folder_.file("t.csv"), kTable); }
  static void write_whole(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }

  struct Outcome {
    Agreement agreement;
    std::vector<Vec> models;
    Traffic traffic;
  };
  Config config(const std::string& fleet, const std::string& data) const {
    const std::string text =
        "seed = 2\nprecision = \"double\"\n[data]\nsource = \"csv\"\nfile = \"t.csv\"\nclient = \"who\"\n"
        "target = \"y\"\nsplit = \"part\"\ntask = \"regression\"\n" +
        data +
        "[unseen]\nnames = [\"c\"]\n[model]\nkind = \"linear\"\n[local]\nsolver = \"gd\"\nrate = 0.1\n"
        "[algorithm]\nkind = \"fedavg\"\n[rounds]\ncount = 2\n[fleet]\nkind = \"" +
        fleet + "\"\n";
    Problems problems;
    Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    return config;
  }
  Outcome played(const std::string& fleet, const std::string& data = "") const {
    const Config own = config(fleet, data);
    Session session(own, folder_.path(), 2, "");
    session.start();
    session.round(1);
    session.round(2);
    return {Agreement::read(session.agreement_text()), session.algorithm().offer().models,
            session.fleet().traffic()};
  }

  TempFolder folder_;
};

TEST_F(AgreedColumns, ComeFromTrainingRowsOfTrainingClients) {
  const Outcome one = played("threads");
  const TableSchema& table = one.agreement.table.value();
  ASSERT_EQ(table.features.size(), 4u);
  // x: 1, 3, 8: mean 4, squared deviations 9 + 1 + 16.
  EXPECT_EQ(table.features[0].mean, 4);
  EXPECT_DOUBLE_EQ(table.features[0].deviation, std::sqrt(26.0 / 3));
  // z: 5, 7 and a gap, which becomes 6.
  EXPECT_EQ(table.features[1].fill, 6);
  EXPECT_EQ(table.features[1].mean, 6);
  EXPECT_DOUBLE_EQ(table.features[1].deviation, std::sqrt(2.0 / 3));
  EXPECT_EQ(table.features[2].value, "u");
  EXPECT_EQ(table.features[2].mean, 0);
  // y: 10, 30, 80: mean 40, squared deviations 900 + 100 + 1600.
  EXPECT_EQ(table.target_mean, 40);
  EXPECT_DOUBLE_EQ(table.target_deviation, std::sqrt(2600.0 / 3));
  EXPECT_EQ(table.scaling, "clients");
  EXPECT_GT(one.traffic.eval, 0u);
}

TEST_F(AgreedColumns, HaveTheSameBitsOnEveryFleet) {
  const Outcome one = played("threads");
  for (const char* fleet : {"scramble", "socket-columns"}) {
    const Outcome other = played(fleet);
    EXPECT_EQ(other.agreement.text(), one.agreement.text()) << fleet;
    EXPECT_EQ(other.models, one.models) << fleet;
    EXPECT_EQ(other.traffic.eval, one.traffic.eval) << fleet;
    EXPECT_EQ(other.traffic.overhead, one.traffic.overhead) << fleet;
  }
}

TEST_F(AgreedColumns, AreAppliedToEveryRow) {
  const Config own = config("threads", "");
  Session session(own, folder_.path(), 1, "");
  const auto unseen = session.federation().samples(2, Part::test, 0);
  std::vector<double> row(4);
  unseen->copy_row(0, row);
  EXPECT_DOUBLE_EQ(row[0], (2e6 - 4) / std::sqrt(26.0 / 3));
  EXPECT_EQ(row[3], 1);
  EXPECT_DOUBLE_EQ(unseen->targets[0], (2e6 - 40) / std::sqrt(2600.0 / 3));
  const auto gap = session.federation().samples(1, Part::train, 0);
  gap->copy_row(0, row);
  EXPECT_EQ(row[1], 0) << "a gap is the mean";
}

TEST_F(AgreedColumns, OrEachClientGoesByItsOwn) {
  const Config own = config("threads", "standardise = \"each\"\n");
  Session session(own, folder_.path(), 1, "");
  const auto a = session.federation().samples(0, Part::test, 0);
  std::vector<double> row(4);
  a->copy_row(0, row);
  EXPECT_EQ(row[0], 1000 - 2) << "1 and 3 have mean 2 and deviation 1";
  EXPECT_EQ(row[1], 1 - 6);
  EXPECT_DOUBLE_EQ(a->targets[0], (5000 - 40) / std::sqrt(2600.0 / 3)) << "the target is everybody's";
  EXPECT_EQ(Agreement::read(session.agreement_text()).table->scaling, "each");
}

TEST_F(AgreedColumns, OrNobodyScales) {
  const Config own = config("threads", "standardise = \"none\"\nstandardise_target = false\n");
  Session session(own, folder_.path(), 1, "");
  const auto b = session.federation().samples(1, Part::train, 0);
  std::vector<double> row(4);
  b->copy_row(0, row);
  EXPECT_EQ(row, (std::vector<double>{8, 6, 0, 1})) << "but gaps are filled";
  EXPECT_EQ(b->targets, (std::vector<double>{80}));
}

}  // namespace
}  // namespace coterie::agreed_columns_test
