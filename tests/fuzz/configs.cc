// A config; a first line that begins with "--set " is an override from the command line. What is accepted is
// written out, and must be read back as the same config.
#include "fuzz/cutter.h"
#include "run/config.h"
#include "run/sweep.h"

namespace coterie::fuzz {
namespace {

std::string resolved(const Table& table) {
  Problems problems;
  const Config config = read_config(table, "fuzz.toml", problems);
  problems.raise_if_any();
  return write_toml(config.resolved());
}

}  // namespace

void configs(Input input) {
  const std::string kSet = "--set ";
  std::string text = Cutter::string_of(input);
  std::vector<Override> overrides;
  if (text.starts_with(kSet)) {
    Cutter cutter(input);
    overrides.push_back(parse_override(cutter.line().substr(kSet.size())));
    text = Cutter::string_of(cutter.rest());
  }
  Problems problems;
  std::vector<PlannedRun> plan = plan_runs(parse_toml(text, "fuzz.toml"), overrides, problems);
  problems.raise_if_any();
  plan.resize(std::min<std::size_t>(plan.size(), 3));
  for (const PlannedRun& run : plan) {
    const std::string once = resolved(run.table);
    std::string twice;
    try {
      twice = resolved(parse_toml(once, "resolved.toml"));
    } catch (const Error& e) {
      throw Bug("a resolved config is refused: " + std::string(e.what()) + "\n" + once);
    }
    check(twice == once, "a resolved config is read back as another one: " + once + "\nand\n" + twice);
  }
}

}  // namespace coterie::fuzz
