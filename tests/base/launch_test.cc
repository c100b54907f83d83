#include "base/launch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <optional>
#include <string>

namespace coterie::launch_test {
namespace {

// The environment of one test; what was there comes back.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_RANK",
          "PMI_SIZE", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"}) {
      const char* before = getenv(name);
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      const auto found = values.find(name);
      found == values.end() ? unsetenv(name) : setenv(name, found->second.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

void expect(const Launch& launch, unsigned rank, unsigned count, unsigned here) {
  EXPECT_EQ(launch.rank, rank);
  EXPECT_EQ(launch.count, count);
  EXPECT_EQ(launch.here, here);
}

TEST(Launch, IsOneProcessWithoutALauncher) {
  const Environment none({});
  expect(launch_of_environment(), 0, 1, 1);
}

TEST(Launch, IsWhatMpirunSays) {
  const Environment mpirun(
      {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "6"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  expect(launch_of_environment(), 3, 6, 2);
}

TEST(Launch, IsAStepOfSlurmAndNotItsScript) {
  {
    const Environment step(
        {{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "5"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}});
    expect(launch_of_environment(), 4, 5, 2);
  }
  const Environment script({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "5"}});
  expect(launch_of_environment(), 0, 1, 1);
}

TEST(Launch, IsNotWhatMakesNoSense) {
  const Environment odd(
      {{"OMPI_COMM_WORLD_RANK", "6"}, {"OMPI_COMM_WORLD_SIZE", "6"}, {"PMI_RANK", "x"}, {"PMI_SIZE", "2"}});
  expect(launch_of_environment(), 0, 1, 1);
}

}  // namespace
}  // namespace coterie::launch_test
