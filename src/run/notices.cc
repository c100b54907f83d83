#include "run/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/excerpt.h"
#include "base/text.h"

namespace coterie {

std::string status_of(const Record& record) {
  std::string text;
  auto add = [&](const char* label, const char* name) {
    double value = record.number(name);
    if (std::isfinite(value)) text += fmt::format("{}{} {:.3f}", text.empty() ? "" : "  ", label, value);
  };
  add("accuracy", "accuracy");
  if (text.empty()) add("loss", "loss");
  add("ARI", "ari");
  return text;
}

std::string left_out_text(const Roster& roster, const std::vector<Event>& rejected) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < std::min(rejected.size(), kNamed + 1); ++i) {
    const ClientId client = rejected[i].client.value_or(0);
    const std::string name = roster.name(client);
    names.push_back(name.empty() ? fmt::format("client {}", client) : excerpt(name, 60));
  }
  std::string text = fmt::format("round {}: {}", rejected[0].round, rejected[0].text);
  if (names.empty()) return text;
  text += fmt::format(" (also left out: {}", join(names, ", "));
  if (rejected.size() > kNamed + 1) text += fmt::format(" and {} more", rejected.size() - kNamed - 1);
  return text + ")";
}

namespace {

const UnusedTable* unused(const Config& run, const std::string& name) {
  const auto found = std::find_if(run.unused.begin(), run.unused.end(),
                                  [&](const UnusedTable& one) { return one.name == name; });
  return found == run.unused.end() ? nullptr : &*found;
}

// Where [tiers] replaces parts of some methods of a sweep and means nothing to others: these.
std::vector<std::string> note_on_tiers(const std::vector<const Config*>& runs) {
  const UnusedTable* table = nullptr;
  std::set<std::string> kinds;
  for (const Config* run : runs) {
    const UnusedTable* here = unused(*run, "tiers");
    if (here == nullptr) continue;
    table = here;
    kinds.insert('"' + run->algorithm_kind + '"');
  }
  if (table == nullptr) return {};
  return {fmt::format("{}: [tiers] is not used by algorithm.kind = {}: not made of tiers",
                      table->where.text(), fmt::join(kinds, ", "))};
}

}  // namespace

std::vector<std::string> notes_on_unused(const std::vector<const Config*>& runs) {
  std::vector<std::string> notes;
  const Config& first = *runs.front();
  const auto everywhere = [&](const std::string& name) {
    return std::all_of(runs.begin(), runs.end(),
                       [&](const Config* run) { return unused(*run, name) != nullptr; });
  };
  if (!everywhere("tiers")) notes = note_on_tiers(runs);
  for (const UnusedTable& table : first.unused) {
    if (!everywhere(table.name)) continue;
    std::string used = table.name.starts_with("algorithm.")
                           ? "algorithm.kind = \"" + first.algorithm_kind + "\""
                           : "clusters.init = \"" + first.clusters.init + "\"";
    if (table.name == "tiers") {
      used = fmt::format(
          "algorithm.kind = \"{}\" is not made of tiers; \"tiered\" is: it is like ifca or, with one "
          "cluster, like fedavg",
          first.algorithm_kind);
    }
    notes.push_back(fmt::format("{}: [{}] is not used: {}", table.where.text(), table.name,
                                runs.size() == 1 ? used : "no run of the sweep names it"));
  }
  return notes;
}

}  // namespace coterie
