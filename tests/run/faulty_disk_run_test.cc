// Runs on a disk that fails: at every operation of a run, in every way that it can, the run ends with a
// reason or as if killed; going on afterwards gives the bits of the run that nothing happened to.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/faulty_disk.h"
#include "coterie/run.h"

namespace coterie::faulty_disk_run_test {
namespace {

namespace fs = std::filesystem;
using Contents = std::map<std::string, std::string>;

// Two groups, which cfl tells apart after its first rounds.
const std::string kSplits = R"(
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 2
noise = 0.1
[clients]
count = 4
samples = 8
[model]
kind = "linear"
intercept = false
[clusters]
count = 1
init = "random"
[algorithm]
kind = "cfl"
[algorithm.cfl]
eps1 = 10
eps2 = 0.01
split_after = 1
[local]
solver = "gd"
rate = 0.1
steps = 2
[rounds]
count = 4
[checkpoint]
every = 1
)";

const std::string kState = R"(
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 2
[clients]
count = 4
samples = 8
[model]
kind = "linear"
intercept = false
[algorithm]
kind = "ditto"
[local]
solver = "gd"
rate = 0.1
[rounds]
count = 4
participation = 0.75
[checkpoint]
every = 2
)";

const std::string kSweep = R"(
[data]
source = "mixed-linear"
clusters = 2
dimension = 2
[clients]
count = 3
samples = 6
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "random"
[local]
solver = "gd"
[rounds]
count = 2
[checkpoint]
every = 1
[sweep]
"algorithm.kind" = ["ifca", "ditto"]
)";

// Most operations wait for the disk; in memory they take no time.
std::string quick_place() {
  const std::string memory = "/dev/shm";
  std::error_code ignored;
  return (fs::is_directory(memory, ignored) ? memory : fs::temp_directory_path().string()) +
         "/coterie-faults-" + std::to_string(getpid());
}

class Place {
 public:
  Place() : path_(quick_place()) { clear(); }
  ~Place() { clear(); }
  const std::string& path() const { return path_; }
  void clear() const { fs::remove_all(path_); }

 private:
  std::string path_;
};

// What two runs must have in common: all but times, memory, and the checkpoint, which has times in it.
Contents contents(const std::string& folder) {
  Contents all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (!entry.is_regular_file() || entry.path().filename() == "times.csv") continue;
    if (entry.path().parent_path().filename() == "checkpoint") {
      all[name] = "";
      continue;
    }
    std::string text = read_file(entry.path().string());
    if (entry.path().filename() == "summary.json") {
      auto summary = nlohmann::json::parse(text);
      for (const char* time : {"seconds", "seconds_per_round", "peak_rss_bytes", "checksum"})
        summary.erase(time);
      text = summary.dump();
    }
    all[name] = text;
  }
  return all;
}

std::string difference(const Contents& expected, const Contents& found) {
  std::string text;
  for (const auto& [name, content] : expected) {
    const auto it = found.find(name);
    if (it == found.end()) text += name + " is missing; ";
    if (it != found.end() && it->second != content) text += name + " differs; ";
  }
  for (const auto& [name, content] : found) {
    if (!expected.contains(name)) text += name + " is left over; ";
  }
  return text;
}

RunRequest request_for(const std::string& text, const std::string& out) {
  RunRequest request;
  request.text = text;
  request.file = "test.toml";
  request.out = out;
  request.threads = 1;
  request.quiet = true;
  return request;
}

// Whether all runs finished; else `why` says what was said, or nothing when it was stopped.
bool attempt(const RunRequest& request, std::string& why) {
  try {
    for (const RunOutcome& one : run_experiment(request)) {
      if (!one.finished) why += one.error + "\n";
    }
  } catch (const Error& e) {
    why = e.what();
  } catch (const DiskStop&) {
    why = "stopped";
  }
  return why.empty();
}

void expect_clear(const std::string& text, const std::string& where) {
  EXPECT_LT(text.size(), 2000u) << where;
  for (const char* raw : {"filesystem", "json.exception", "basic_", "std::", "what():", "errno"}) {
    EXPECT_EQ(text.find(raw), std::string::npos) << where << ": " << text;
  }
}

const char* name_of(DiskFault fault) {
  constexpr const char* kNames[] = {"none", "no space", "I/O error", "short write", "stop", "torn write"};
  return kNames[static_cast<int>(fault)];
}

enum class Again { resume, plain, force };

// Strikes at operation n; false when there are fewer.
bool strike(const std::string& config, DiskFault fault, std::uint64_t n, Again again,
            const Contents& expected) {
  Place place;
  RunRequest request = request_for(config, place.path() + "/out");
  std::string why, victim;
  bool finished = false;
  {
    FaultyDisk disk(fault, n);
    finished = attempt(request, why);
    if (!disk.struck()) return false;
    victim = disk.victim();
  }
  const std::string where = std::string(name_of(fault)) + " at " + std::to_string(n) + ", " + victim;
  expect_clear(why, where);
  if (fault == DiskFault::short_write) {
    EXPECT_TRUE(finished) << where << ": " << why;
  } else {
    EXPECT_FALSE(finished) << where << ": a failure went unsaid";
  }
  // A plain run is taken where nothing had begun; where something had, it says what to do instead.
  std::string refusal;
  bool done = false;
  if (again == Again::plain && fs::exists(request.out)) {
    done = attempt(request, refusal);
    EXPECT_TRUE(done || refusal.find("--resume") != std::string::npos) << where << ": " << refusal;
  }
  if (!done) {
    request.resume = again != Again::force;
    request.force = again == Again::force;
    std::string problem;
    EXPECT_TRUE(attempt(request, problem)) << where << ": " << problem;
  }
  EXPECT_EQ(difference(expected, contents(request.out)), "") << where;
  return true;
}

Contents undisturbed(const std::string& config) {
  Place place;
  std::string why;
  EXPECT_TRUE(attempt(request_for(config, place.path() + "/out"), why)) << why;
  return contents(place.path() + "/out");
}

void walk(const std::string& name, const std::string& config, const Contents& expected) {
  ASSERT_FALSE(expected.empty());
  std::cout << name << ":";
  auto walk_one = [&](DiskFault fault, Again again) {
    std::uint64_t n = 1;
    while (strike(config, fault, n, again, expected)) ++n;
    std::cout << " " << name_of(fault) << " " << n - 1 << ";" << std::flush;
    EXPECT_GT(n, 10u);
  };
  walk_one(DiskFault::no_space, Again::resume);
  walk_one(DiskFault::io_error, Again::resume);
  walk_one(DiskFault::short_write, Again::resume);
  walk_one(DiskFault::stop, Again::plain);
  walk_one(DiskFault::stop, Again::force);
  walk_one(DiskFault::torn_write, Again::resume);
  std::cout << "\n";
}

TEST(RunOnAFaultyDisk, WithSplits) {
  const Contents expected = undisturbed(kSplits);
  ASSERT_NE(expected.at("events.jsonl").find("\"split\""), std::string::npos);
  walk("splits", kSplits, expected);
}

TEST(RunOnAFaultyDisk, WithClientsThatKeepAState) {
  const Contents expected = undisturbed(kState);
  walk("states", kState, expected);
}

TEST(RunOnAFaultyDisk, Sweep) {
  const Contents expected = undisturbed(kSweep);
  ASSERT_TRUE(expected.contains("ditto/summary.json"));
  walk("sweep", kSweep, expected);
}

}  // namespace
}  // namespace coterie::faulty_disk_run_test
