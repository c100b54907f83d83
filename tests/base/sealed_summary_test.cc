#include "base/sealed_summary.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "support/temp_folder.h"

namespace coterie::sealed_summary_test {
namespace {

using Json = nlohmann::ordered_json;

struct SealedRun {
  TempFolder temp;
  SealedRun() {
    make_folders(temp.file("models"));
    for (const char* name : {"rounds.jsonl", "models/cluster-0.safetensors"})
      write_atomically(temp.file(name), "whole");
    Json summary{{"loss", 0.5}};
    seal_summary(temp.path(), {"rounds.jsonl", "models/cluster-0.safetensors"}, summary);
    write_atomically(temp.file("summary.json"), summary_text(summary));
  }
  // What is said; "" when all is well.
  std::string check(Vouched files) const {
    try {
      check_summary(temp.path(), read_summary(temp.path()), files);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST(SealedSummary, VouchesForItselfAndForFiles) {
  SealedRun run;
  EXPECT_EQ(run.check(Vouched::all), "");
  EXPECT_EQ(vouched_models(run.temp.path()), std::vector<std::string>{"models/cluster-0.safetensors"});
  std::string text = read_file(run.temp.file("summary.json"));
  write_atomically(run.temp.file("summary.json"), text.replace(text.find("0.5"), 3, "0.6"));
  EXPECT_NE(run.check(Vouched::others).find("summary.json was changed"), std::string::npos);
}

TEST(SealedSummary, LooksAtModelsAndAtOtherFilesApart) {
  SealedRun run;
  const std::string log = run.temp.file("rounds.jsonl"),
                    model = run.temp.file("models/cluster-0.safetensors");
  write_atomically(log, "Whole");
  EXPECT_EQ(run.check(Vouched::models), "");
  EXPECT_NE(run.check(Vouched::others).find(log + " was changed"), std::string::npos);
  remove_file(log);
  EXPECT_NE(run.check(Vouched::all).find(log + " is missing"), std::string::npos);
  write_atomically(log, "whole");
  write_atomically(model, "");
  EXPECT_EQ(run.check(Vouched::others), "");
  EXPECT_NE(run.check(Vouched::models).find(model + " was changed"), std::string::npos);
}

TEST(SealedSummary, OfAnOlderVersionVouchesForNothing) {
  TempFolder temp;
  check_summary(temp.path(), {{"loss", 0.5}, {"checksums", {{"rounds.jsonl", "00000000"}}}}, Vouched::all);
  EXPECT_TRUE(vouched_models(temp.path()).empty());
  for (const char* damaged : {"", "[1]", "{\"loss\":", "{\"checksums\":7}"}) {
    write_atomically(temp.file("summary.json"), damaged);
    EXPECT_TRUE(vouched_models(temp.path()).empty()) << damaged;
  }
  write_atomically(temp.file("summary.json"), "{\"loss\":");
  EXPECT_THROW(read_summary(temp.path()), Error);
}

}  // namespace
}  // namespace coterie::sealed_summary_test
