#include "base/launch.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace coterie {
namespace {

// What a variable begins with: "2(x3)" says that three machines have two processes each.
std::optional<unsigned> number_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Their names for the rank and the number of processes, of all and on this machine. A step of Slurm has a
// number of tasks; the job's script, which is one process, has not.
struct Launcher {
  const char* rank;
  const char* count;
  const char* here;
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"},
};

}  // namespace

Launch launch_of_environment() {
  for (const Launcher& one : kLaunchers) {
    const auto rank = number_in(one.rank), count = number_in(one.count);
    if (!rank || !count || *rank >= *count) continue;
    return {*rank, *count, std::clamp(number_in(one.here).value_or(1), 1u, *count)};
  }
  return {};
}

}  // namespace coterie
