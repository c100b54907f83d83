#include "use/finished_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "run/model_files.h"
#include "support/table_run.h"
#include "use/use.h"

namespace coterie::finished_run_test {
namespace {

// What is thrown, and whether the user's call is to blame (exit status 2) or a file (1).
struct Refusal {
  std::string text;
  bool usage = false;
};

Refusal refusal(const std::string& folder) {
  try {
    FinishedRun run(folder);
  } catch (const BadConfig& e) {
    return {e.what(), true};
  } catch (const Error& e) {
    return {e.what(), false};
  }
  return {};
}

TEST(FinishedRun, RefusesFoldersThatHoldNoFinishedRun) {
  const TempFolder folder;
  EXPECT_NE(refusal(folder.file("none")).text.find("no such folder"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).text.find("holds no run"), std::string::npos);
  EXPECT_TRUE(refusal(folder.path()).usage);
  const TableRun run(TableRun::config("fedavg"));
  remove_file(run.run() + "/summary.json");
  EXPECT_NE(refusal(run.run()).text.find("not finished"), std::string::npos);
  EXPECT_TRUE(refusal(run.run()).usage);
}

TEST(FinishedRun, RefusesRunsWithoutATable) {
  const TempFolder folder;
  RunRequest request;
  request.file = "test.toml";
  request.text = "[data]\nsource = \"blobs\"\n[clients]\ncount = 4\nsamples = 8\n[rounds]\ncount = 1\n";
  request.out = folder.file("run");
  request.quiet = true;
  run_experiment(request);
  EXPECT_NE(refusal(request.out).text.find("do not come from a table"), std::string::npos);
  EXPECT_TRUE(refusal(request.out).usage);
  EXPECT_FALSE(is_file(request.out + "/assign.json"));
}

TEST(FinishedRun, NoticesDamage) {
  const TableRun run(TableRun::config("fedgmm"));
  ASSERT_EQ(refusal(run.run()).text, "");
  for (const char* name : {"agreement.toml", "assign.json", "config.toml", "models/cluster-0.safetensors",
                           "models/extras.safetensors"}) {
    const std::string path = run.run() + "/" + name;
    const std::string whole = read_file(path);
    std::string changed = whole;
    // Of a config counts what clients work by.
    const std::size_t place =
        std::string(name) == "config.toml" ? whole.find("rate = 0.3") + 9 : whole.size() - 3;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    write_atomically(path, changed);
    EXPECT_NE(refusal(run.run()).text.find("changed or damaged"), std::string::npos) << name;
    EXPECT_FALSE(refusal(run.run()).usage) << name;
    remove_file(path);
    EXPECT_NE(refusal(run.run()).text, "") << name;
    write_atomically(path, whole);
  }
  EXPECT_EQ(refusal(run.run()).text, "");
}

TEST(FinishedRun, NoticesDamageOfAClientsModelAndOfWhatItRemembers) {
  for (const char* method : {"local", "knn-per"}) {
    const TableRun run(TableRun::config(method));
    const std::string path =
        run.run() + "/" + (std::string(method) == "local" ? client_model_file(0) : kMemoriesFile);
    std::string content = read_file(path);
    content[content.size() - 7] = static_cast<char>(content[content.size() - 7] ^ 1);
    write_atomically(path, content);
    try {
      predict_rows({run.run(), run.data()});
      FAIL() << method;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("changed or damaged"), std::string::npos) << e.what();
    }
  }
}

TEST(FinishedRun, ModelsOfClientsAreListedAndReplacedByTheNextRun) {
  const TableRun run(TableRun::config("ditto"));
  EXPECT_TRUE(is_file(run.run() + "/models/client-9.safetensors"));
  RunRequest request;
  request.file = "test.toml";
  request.text = TableRun::config("ifca");
  request.out = run.run();
  request.data_folder = run.folder();
  request.quiet = true;
  request.force = true;
  run_experiment(request);
  EXPECT_EQ(names_in(run.run() + "/models"),
            (std::vector<std::string>{"cluster-0.safetensors", "cluster-1.safetensors"}));
}

// Cluster 0 of found clusters is the mean of its clients' models.
TEST(FinishedRun, ClustersOfOwnModelsAreTheirMeans) {
  const TableRun run(TableRun::config("federated-clustering"));
  const FinishedRun finished(run.run());
  ASSERT_GT(finished.clusters(), 0u);
  double clients = 0;
  for (const double size : finished.sizes()) clients += size;
  EXPECT_EQ(clients, TableRun::kClients);
  EXPECT_TRUE(is_file(run.run() + "/models/client-0.safetensors"));
  EXPECT_TRUE(is_file(run.run() + "/models/cluster-0.safetensors"));
}

}  // namespace
}  // namespace coterie::finished_run_test
