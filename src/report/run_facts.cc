#include "report/run_facts.h"

#include <filesystem>

#include "base/disk.h"
#include "base/sealed_summary.h"
#include "report/run_groups.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

// The finished fedavg and local runs beside this one that have its seed.
std::vector<RunRecord> references(const RunRecord& run) {
  constexpr std::size_t kMostSiblings = 200;
  std::vector<RunRecord> found;
  const fs::path own = fs::absolute(run.folder).lexically_normal();
  const fs::path parent = (own.has_filename() ? own : own.parent_path()).parent_path();
  if (!is_file((parent / "sweep.json").string())) return found;
  const std::vector<std::string> names = names_in(parent.string());
  if (names.size() > kMostSiblings) return found;
  for (const std::string& name : names) {
    const std::string folder = (parent / name).string();
    if (!is_run_folder(folder) || fs::equivalent(folder, run.folder)) continue;
    try {
      const auto summary = read_summary(folder);
      const std::string method = summary.value("algorithm", "");
      if (method != "fedavg" && method != "local") continue;
      if (summary.value("seed", std::uint64_t{0}) != run.summary.seed) continue;
      found.push_back(read_run(folder));
    } catch (const std::exception&) {
      // A sibling that is damaged is no reason to withhold this run's page.
    }
  }
  return found;
}

}  // namespace

std::string cluster_name(std::uint32_t cluster) { return "cluster " + std::to_string(cluster); }

std::vector<std::uint32_t> RunFacts::filled() const {
  std::vector<std::uint32_t> ids;
  for (std::size_t k = 0; k < matrix.found_ids.size(); ++k) {
    if (matrix.found[k].clients > 0) ids.push_back(matrix.found_ids[k]);
  }
  return ids;
}

Gains sibling_gains(const RunRecord& run) {
  std::vector<RunRecord> runs = references(run);
  if (runs.empty()) return {};
  runs.insert(runs.begin(), run);
  RunGroups alone;
  alone.groups.push_back({{0}, {}, ""});
  return gains_of(runs, alone);
}

RunFacts read_facts(const std::string& folder) {
  RunFacts facts;
  facts.run = read_run(folder);
  facts.clients = read_clients(folder);
  facts.events = read_events(folder);
  facts.matrix = cluster_matrix(facts.run, facts.clients);
  facts.losses = read_losses(folder);
  facts.columns = read_columns(folder);
  facts.means = read_means(folder);
  const Gains gains = sibling_gains(facts.run);
  facts.figure = gains.figure;
  for (const ClientGain& one : gains.clients) {
    if (one.run == 0) facts.gains[one.client] = one;
  }
  std::size_t clusters = 0;
  for (const std::uint32_t k : facts.filled()) clusters = std::max<std::size_t>(clusters, k + 1);
  if (facts.matrix.has_found()) facts.coefficients = read_coefficients(folder, facts.columns, clusters);
  return facts;
}

}  // namespace coterie
