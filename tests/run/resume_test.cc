// A run goes on only with the data, program and files that it began with; whatever differs is said, and
// nothing is touched.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>

#include "base/disk.h"
#include "coterie/run.h"
#include "data/formats/safetensors.h"
#include "report/run_folder.h"
#include "run/checkpoint.h"
#include "support/temp_folder.h"

namespace coterie::resume_test {
namespace {

constexpr const char* kTable =
    "site,age,dose,well\n"
    "a,31,1.5,yes\na,42,2.5,no\na,25,0.5,yes\na,61,3.5,no\na,44,1.0,yes\n"
    "b,35,1.5,no\nb,29,2.0,yes\nb,52,0.5,no\nb,48,3.0,yes\nb,66,2.5,no\n";

// Two rounds of a method on the table; `longer` goes on to four.
struct World {
  TempFolder temp;
  std::string method = "ditto";
  World() { write_atomically(temp.file("sites.csv"), kTable); }

  std::string run_folder() const { return temp.file("run"); }
  std::string config(int rounds) const {
    return "[data]\nsource = \"csv\"\nfile = \"sites.csv\"\nclient = \"site\"\ntarget = \"well\"\n"
           "[clusters]\ncount = 2\ninit = \"random\"\n[model]\nl2 = 0.01\n[algorithm]\nkind = \"" +
           method + "\"\n[rounds]\ncount = " + std::to_string(rounds) + "\n";
  }
  void run(int rounds, bool resume) const {
    RunRequest request;
    request.file = temp.file("exp.toml");
    request.text = config(rounds);
    request.out = run_folder();
    request.quiet = true;
    request.threads = 1;
    request.resume = resume;
    run_experiment(request);
  }
  std::string longer() const {
    try {
      run(4, true);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run_folder())) {
      if (entry.is_regular_file()) all[entry.path()] = read_file(entry.path());
    }
    return all;
  }
  void change(const std::string& file, std::size_t at) const {
    std::string content = read_file(file);
    ASSERT_LT(at, content.size());
    content[at] = static_cast<char>(content[at] ^ 0x04);
    write_atomically(file, content);
  }
};

void expect_refused(const World& it, const std::string& why) {
  const auto before = it.files();
  const std::string text = it.longer();
  EXPECT_NE(text.find(why), std::string::npos) << text;
  EXPECT_NE(text.find("--force"), std::string::npos) << text;
  EXPECT_EQ(it.files(), before) << "nothing is touched";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Resume, GoesOnWithTheSameData) {
  World it;
  it.run(2, false);
  EXPECT_EQ(it.longer(), "");
}

TEST(Resume, RefusesOtherData) {
  const std::string table = kTable;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {replaced(table, "42,2.5", "24,2.5"), "has changed"},                              // a value
      {replaced(table, "a,61,3.5,no\n", "a,61,3.5,yes\n"), "has changed"},               // a label
      {replaced(table, "b,66,2.5,no\n", "b,66,2.5,no\nb,20,1.0,yes\n"), "has changed"},  // a row more
      {replaced(table, "b,66,2.5,no\n", "c,66,2.5,no\nc,63,1.5,yes\n"), "has changed"},  // a client more
      {replaced(replaced(table, "a,31,1.5,yes\n", "a,35,1.5,no\n"), "b,35,1.5,no\n", "b,31,1.5,yes\n"),
       "has changed"},                                                         // two clients exchange a row
      {std::regex_replace(table, std::regex("\nb,"), "\nc,"), "has changed"},  // a client's name
      {replaced(table, ",dose,", ",rate,"), "the form of the data has changed"},
      {replaced(table, "b,66,2.5,no\n", "b,66,2.5,ill\n"),
       "the form of the data has changed"},  // a class more
  };
  for (const std::string method : {"ditto", "ifca", "fedem"}) {
    for (const auto& [changed, why] : cases) {
      World it;
      it.method = method;
      it.run(2, false);
      write_atomically(it.temp.file("sites.csv"), changed);
      expect_refused(it, why);
    }
  }
}

TEST(Resume, RefusesDamagedLogs) {
  for (const char* log : {"rounds.jsonl", "events.jsonl"}) {
    World it;
    it.run(2, false);
    const std::string path = it.run_folder() + "/" + log;
    if (read_file(path).empty()) continue;
    it.change(path, 5);
    expect_refused(it, "was changed or damaged");
    std::filesystem::remove(path);
    expect_refused(it, "is missing");
  }
}

TEST(Resume, RefusesADamagedStateOfAnyClient) {
  // Two clients with two slots each, one of which the checkpoint names; damage to the other harms nobody.
  std::size_t refused = 0;
  for (std::size_t slot = 0; slot < 4; ++slot) {
    World it;
    it.run(2, false);
    for (const std::string& name : names_in(it.run_folder() + "/checkpoint")) {
      if (name == "checkpoint.bin") continue;
      const std::string path = it.run_folder() + "/checkpoint/" + name;
      it.change(path, slot * read_file(path).size() / 4 + 8);
    }
    const auto before = it.files();
    const std::string text = it.longer();
    if (text.empty()) continue;
    ++refused;
    EXPECT_NE(text.find("the state of client"), std::string::npos) << text;
    EXPECT_EQ(it.files(), before) << "nothing is touched";
  }
  EXPECT_EQ(refused, 2u);
}

TEST(Resume, RefusesADamagedCheckpoint) {
  World it;
  it.run(2, false);
  const std::string path = it.run_folder() + "/checkpoint/checkpoint.bin", whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    it.change(path, at);
    const std::string text = it.longer();
    EXPECT_TRUE(text.find("damaged") != std::string::npos ||
                text.find("another version") != std::string::npos)
        << text;
    write_atomically(path, whole);
  }
}

TEST(Resume, AnIfcaThatPlannedItsPartsIsNotMadeLonger) {
  TempFolder temp;
  RunRequest request;
  request.file = temp.file("exp.toml");
  request.text =
      "[data]\nsource = \"mixed-linear\"\n[model]\nkind = \"linear\"\nintercept = false\n[clients]\ncount = "
      "4\nsamples = "
      "40\n[clusters]\n"
      "count = 2\n[algorithm]\nkind = \"ifca\"\n[algorithm.ifca]\nresample = true\n[rounds]\ncount = 2\n";
  request.out = temp.file("run");
  request.quiet = true;
  run_experiment(request);
  request.resume = true;
  request.overrides = {"rounds.count=3"};
  try {
    run_experiment(request);
    FAIL() << "parts of the data depend on the last round";
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("planned for fewer rounds"), std::string::npos) << e.what();
  }
}

TEST(Resume, AModelFileThatWasChangedIsRefused) {
  TempFolder temp;
  const std::vector<Layer> layers = {{.name = "weight", .shape = {1, 2}}};
  const std::string path = temp.file("model.safetensors");
  write_safetensors(path, layers, {0.5, 1.5}, Precision::f64, {});
  EXPECT_EQ(read_safetensors(path, layers), (Vec{0.5, 1.5}));
  std::string content = read_file(path);
  content.back() = static_cast<char>(content.back() ^ 1);
  write_atomically(path, content);
  EXPECT_THROW(read_safetensors(path, layers), Error);
  // Without its format it would be read as an older file, inputs first.
  write_safetensors(path, layers, {0.5, 1.5}, Precision::f64, {});
  content = read_file(path);
  write_atomically(path, content.replace(content.find("format"), 6, "fgrmat"));
  EXPECT_THROW(read_safetensors(path, layers), Error);
}

TEST(Resume, FiguresThatWereChangedAfterTheRunAreNotShown) {
  for (const char* name : {"summary.json", "rounds.jsonl", "clients.csv"}) {
    World it;
    it.run(2, false);
    EXPECT_EQ(read_run(it.run_folder()).summary.algorithm, "ditto");
    const std::string path = it.run_folder() + "/" + name;
    std::string content = read_file(path);
    const std::size_t digit = content.find_last_of("123456789");
    content[digit] = content[digit] == '9' ? '8' : static_cast<char>(content[digit] + 1);
    write_atomically(path, content);
    EXPECT_THROW(read_run(it.run_folder()), Error) << name;
  }
}

// What comes with a finished run is what the run wrote, or it is not taken for finished.
TEST(Resume, AFinishedRunWithADamagedOrMissingFileIsNotSaidToBeWhole) {
  for (const char* name : {"summary.json", "config.toml", "agreement.toml", "rounds.jsonl", "events.jsonl",
                           "clients.csv", "schema.json", "models/cluster-1.safetensors"}) {
    World it;
    it.method = "ifca";
    it.run(2, false);
    it.run(2, true);
    const std::string path = it.run_folder() + "/" + name;
    const std::string whole = read_file(path);
    const auto says = [&] {
      const auto before = it.files();
      try {
        it.run(2, true);
      } catch (const Error& e) {
        EXPECT_EQ(it.files(), before) << "nothing is touched";
        return std::string(e.what());
      }
      return std::string();
    };
    write_atomically(path, whole + "\n#");
    EXPECT_NE(says().find(name), std::string::npos) << says();
    write_atomically(path, whole);
    if (std::string(name) == "summary.json") continue;  // without it the run has not finished
    std::filesystem::remove(path);
    EXPECT_NE(says().find(name), std::string::npos) << says();
  }
}

TEST(Resume, WritesTheAgreementAgain) {
  World it;
  it.run(2, false);
  const std::string path = it.run_folder() + "/agreement.toml", whole = read_file(path);
  it.change(path, 5);
  EXPECT_EQ(it.longer(), "");
  EXPECT_EQ(read_file(path), whole);
}

// Methods that end by themselves tell so in whatever round that is.
TEST(Resume, ARunThatIsMadeLongerWithNothingLeftToDoHasTheEventsOfALongOne) {
  const auto events = [](const World& it) { return read_file(it.run_folder() + "/events.jsonl"); };
  World longer, whole;
  longer.method = whole.method = "cluster-oracle";
  whole.run(4, false);
  longer.run(1, false);
  EXPECT_EQ(longer.longer(), "");
  EXPECT_NE(events(whole).find("nothing left to do after 1 round"), std::string::npos) << events(whole);
  EXPECT_EQ(events(longer), events(whole));
}

TEST(Resume, AModelOfAnotherRunIsNotStartedFrom) {
  World it, other;
  it.method = other.method = "ifca";
  it.run(2, false);
  other.run(3, false);
  const std::string model = "/models/cluster-0.safetensors";
  const auto start = [&] {
    RunRequest request;
    request.file = it.temp.file("exp.toml");
    request.text = it.config(1);
    request.overrides = {"clusters.init=file", "clusters.file.path=" + it.run_folder()};
    request.out = it.temp.file("new");
    request.quiet = request.force = true;
    run_experiment(request);
  };
  start();
  write_atomically(it.run_folder() + model, read_file(other.run_folder() + model));
  EXPECT_THROW(start(), Error);
  std::filesystem::remove(it.run_folder() + "/summary.json");
  start();  // nobody vouches for them: models from anywhere
}

// Sizes that no machine has room for are refused with the numbers, before anything is made.
TEST(Sizes, AreReckonedBeforeTheyAreAllocated) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"clusters.count=50000000", "clusters.count = 50000000"},
      {"clients.samples=4000000000", "clients.samples = 4000000000"},
      {"data.classes=4000000000", "data.classes = 4000000000"},
      {"data.dimension=4000000000", "data.dimension = 4000000000"},
      {"data.test_samples=4000000000", "data.test_samples = 4000000000"},
      {"clients.count=100000000", "100000000 clients"},
  };
  for (const auto& [option, what] : cases) {
    TempFolder temp;
    RunRequest request;
    request.file = temp.file("exp.toml");
    request.text = "[data]\nsource = \"blobs\"\n[clients]\ncount = 4\nsamples = 10\n[rounds]\ncount = 1\n";
    request.overrides = {option};
    request.out = temp.file("run");
    request.quiet = true;
    try {
      run_experiment(request);
      FAIL() << option;
    } catch (const Error& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find(what), std::string::npos) << text;
      EXPECT_NE(text.find("more than fleet.memory = 4 GB"), std::string::npos) << text;
    }
    EXPECT_FALSE(is_there(temp.file("run")));
  }
}

}  // namespace
}  // namespace coterie::resume_test
