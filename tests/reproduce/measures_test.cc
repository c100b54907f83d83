#include "reproduce/measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/temp_folder.h"

namespace coterie::measures_test {
namespace {

// Two runs of one seed: errors 4, 2, 1 of a method after two rounds of its start, and 0.95 of the oracle.
class Measures : public testing::Test {
 protected:
  Measures() {
    for (const char* run : {"method/seed-0/", "oracle/seed-0/"}) {
      folder_.write(std::string(run) + "summary.json", "{\"algorithm\": \"ifca\"}");
    }
    folder_.write(
        "method/seed-0/rounds.jsonl",
        "{\"round\":1,\"phase\":\"init\",\"error\":9}\n{\"round\":2,\"phase\":\"init\",\"error\":8}\n"
        "{\"round\":10,\"phase\":\"train\",\"error\":4}\n{\"round\":20,\"phase\":\"train\",\"error\":2}\n"
        "{\"round\":30,\"phase\":\"train\",\"error\":1}\n");
    folder_.write("oracle/seed-0/rounds.jsonl", "{\"round\":30,\"phase\":\"train\",\"error\":0.95}\n");
    folder_.write("method/seed-0/events.jsonl",
                  "{\"round\":0,\"kind\":\"anchor\",\"client\":0,\"text\":\"\",\"truth\":0}\n"
                  "{\"round\":0,\"kind\":\"anchor\",\"client\":2,\"text\":\"\",\"truth\":1}\n"
                  "{\"round\":1,\"kind\":\"rejected\",\"client\":1,\"text\":\"\",\"truth\":2}\n");
  }
  double measured(const Measure& measure) {
    return measure_run(measure, (folder_.path() / "method/seed-0").string());
  }
  void clients(const std::string& rows) {
    folder_.write("method/seed-0/clients.csv",
                  "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n" + rows);
  }
  TempFolder folder_;
};

TEST_F(Measures, TheFigureOfARoundIsTheLastOneEvaluatedByThen) {
  Measure measure;
  measure.figure = "error";
  measure.round = 20;
  EXPECT_EQ(measured(measure), 2);
  measure.round = 29;
  EXPECT_EQ(measured(measure), 2);
  measure.round = 9;
  EXPECT_TRUE(std::isnan(measured(measure)));
}

TEST_F(Measures, TheBestFigureIsOverAllRoundsOfTraining) {
  Measure measure;
  measure.figure = "error";
  measure.best = true;
  EXPECT_EQ(measured(measure), 4);  // 9 and 8 belong to the start
  measure.times = -1;
  measure.plus = 10;
  EXPECT_EQ(measured(measure), 9);
}

// (4 + 2 + 1) / 3, doubled, and 1 more.
TEST_F(Measures, TheAverageIsOverTheRoundsOfTraining) {
  Measure measure;
  measure.figure = "error";
  measure.average = true;
  measure.times = 2;
  measure.plus = 1;
  EXPECT_DOUBLE_EQ(measured(measure), 1 + 14.0 / 3);
}

TEST_F(Measures, WithinComparesWithTheOtherRunsEnd) {
  Measure measure;
  measure.figure = "error";
  measure.low_as = "oracle";
  measure.within = 1.1;
  EXPECT_EQ(measured(measure), 1);
  measure.within = 1.05;
  EXPECT_EQ(measured(measure), 0);
}

TEST_F(Measures, ErrorsOfAccuracies) {
  Measure measure;
  measure.figure = "error";
  measure.times = -100;
  measure.plus = 100;
  EXPECT_EQ(measured(measure), 0);
}

TEST_F(Measures, CoveredWhenNamedClientsAreOfEveryTrueCluster) {
  Measure measure;
  measure.covered_by = "anchor";
  clients("0,,train,5,0,a,0,1,0,\n3,,test,5,1,b,0,1,0,\n");
  EXPECT_EQ(measured(measure), 1);
  clients("0,,train,5,0,a,0,1,0,\n3,,test,5,1,b,0,1,0,\n4,,test,5,2,c,0,1,0,\n");
  EXPECT_EQ(measured(measure), 0) << "cluster 2 was named by another event only";
}

TEST_F(Measures, AClientsOwnFigures) {
  Measure measure;
  measure.client = 1;
  measure.figure = "loss";
  measure.times = 10;
  clients("0,,train,5,0,a,0,1,0.25,\n1,,train,5,1,b,3,1,0.5,\n");
  EXPECT_EQ(measured(measure), 5);
  measure.figure = "cluster";
  EXPECT_EQ(measured(measure), 30);
  measure.client = 7;
  EXPECT_THROW(measured(measure), Error);
}

// Two trials of two rounds each come before training, in which the error is 4 at round 10.
TEST_F(Measures, RoundsOfAllTrialsOfTheStartCount) {
  folder_.write(
      "method/seed-0/rounds.jsonl",
      "{\"round\":1,\"phase\":\"init\"}\n{\"round\":2,\"phase\":\"init\"}\n"
      "{\"round\":1,\"phase\":\"init\"}\n{\"round\":2,\"phase\":\"init\"}\n"
      "{\"round\":1,\"phase\":\"train\",\"ari\":0.5}\n{\"round\":10,\"phase\":\"train\",\"ari\":1}\n");
  Measure measure;
  measure.figure = "ari";
  measure.reach = 0.9;
  EXPECT_EQ(measured(measure), 10);
  measure.start = true;
  EXPECT_EQ(measured(measure), 14);
}

TEST_F(Measures, CurvesCanBeginWithTheStart) {
  const std::string run = (folder_.path() / "method/seed-0").string();
  EXPECT_EQ(curve_of(run, "error").size(), 3u);
  const Curve whole = curve_of(run, "error", true);
  ASSERT_EQ(whole.size(), 5u);
  EXPECT_EQ(whole[1], (std::pair<double, double>{2, 8}));
  EXPECT_EQ(whole[2], (std::pair<double, double>{12, 4}));
}

}  // namespace
}  // namespace coterie::measures_test
