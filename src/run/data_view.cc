#include "run/data_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "base/threads.h"
#include "fleet/client_program.h"
#include "fleet/columns.h"
#include "run/config.h"
#include "run/identity.h"
#include "run/sweep.h"

namespace coterie {
namespace {

constexpr std::size_t kBins = 5;  // ranges of a regression's target

// The first run's config; how many of the sweep's runs have other data goes to the notes.
Config first_config(const RunRequest& request, std::vector<std::string>& notes) {
  std::vector<Override> overrides;
  for (const std::string& text : request.overrides) overrides.push_back(parse_override(text));
  Problems problems;
  Table table = read_toml(request.file);
  table.erase("fit");  // what a fit tries says nothing of the data
  const std::vector<PlannedRun> plan = plan_runs(std::move(table), overrides, problems);
  problems.raise_if_any();
  std::vector<Config> configs;
  for (const PlannedRun& planned : plan)
    configs.push_back(read_config(planned.table, request.file, problems));
  problems.raise_if_any();
  std::set<std::string> different;
  for (const Config& config : configs) different.insert(data_bits_of(config.resolved()));
  if (different.size() > 1) {
    notes.push_back(fmt::format("the sweep has {} different data sets; this is that of its first run, {}",
                                different.size(), plan.front().label));
  }
  Config& config = configs.front();
  config.folder = std::filesystem::path(request.file).parent_path().string();
  if (config.folder.empty()) config.folder = ".";
  if (config.name.empty()) config.name = std::filesystem::path(request.file).stem().string();
  return std::move(config);
}

// The clients with the samples they would meet in a run: the columns of a table are agreed on first.
std::unique_ptr<Federation> dealt(const Config& config, const RunRequest& request) {
  const char* from_environment = std::getenv("COTERIE_DATA");
  const std::string folder = !request.data_folder.empty()  ? request.data_folder
                             : from_environment == nullptr ? ""
                                                           : from_environment;
  const auto seed = static_cast<std::uint64_t>(config.seed);
  std::unique_ptr<Federation> federation =
      build_federation(config.federation, {folder, seed, config.folder, config.fleet.memory}, seed);
  const Agreement agreement = Agreement::of(*federation, config.federation.data.redeal != "never");
  if (!agreement.table || !agreement.table->draft) return federation;
  const std::string program = config.text();
  const std::string agreed = agreement.text();
  const unsigned threads = request.threads == 0 ? hardware_threads() : request.threads;
  const std::unique_ptr<Fleet> fleet =
      config.fleet_kind->make({*federation, *federation, std::make_shared<ClientProgram>(program, agreed),
                               program, agreed, config.fleet, threads, ""});
  federation->agree(agree_on_columns(*fleet, *agreement.table, agreement.shape.task));
  return federation;
}

// Ranges with equally many rows, as far as values differ; the upper ends of all but the last.
Vec range_ends(Vec values) {
  std::sort(values.begin(), values.end());
  Vec ends;
  for (std::size_t b = 1; b < kBins && !values.empty(); ++b) {
    const double end = values[std::min(values.size() - 1, b * values.size() / kBins)];
    if (end > values.front() && (ends.empty() || end > ends.back())) ends.push_back(end);
  }
  return ends;
}

std::vector<std::string> range_names(const Vec& ends) {
  if (ends.empty()) return {"all"};
  std::vector<std::string> names = {fmt::format("below {:.4g}", ends.front())};
  for (std::size_t b = 1; b < ends.size(); ++b)
    names.push_back(fmt::format("{:.4g} to {:.4g}", ends[b - 1], ends[b]));
  names.push_back(fmt::format("from {:.4g}", ends.back()));
  return names;
}

void count_targets(const Federation& federation, DataView& view) {
  const TableSchema* table = federation.table();
  const double mean = table == nullptr ? 0 : table->target_mean;
  const double unit = table == nullptr ? 1 : table->target_deviation;
  std::vector<Vec> targets;
  Vec all;
  for (std::size_t i = 0; i < std::min(view.clients.size(), DataView::kMostCounted); ++i) {
    const auto samples = federation.samples(view.clients[i].id, Part::train, 0);
    Vec& own = targets.emplace_back(samples->targets);
    for (double& y : own) y = mean + unit * y;
    all.insert(all.end(), own.begin(), own.end());
  }
  const Vec ends = range_ends(std::move(all));
  view.columns = range_names(ends);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    view.clients[i].counts.assign(view.columns.size(), 0.0);
    for (const double y : targets[i])
      view.clients[i]
          .counts[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), y) - ends.begin())] +=
          1;
  }
}

void count_classes(const Federation& federation, DataView& view) {
  const TableSchema* table = federation.table();
  for (std::size_t c = 0; c < federation.shape().classes; ++c) {
    const bool named = table != nullptr && c < table->classes.size();
    view.columns.push_back(named ? table->classes[c] : std::to_string(c));
  }
  for (std::size_t i = 0; i < std::min(view.clients.size(), DataView::kMostCounted); ++i) {
    const auto samples = federation.samples(view.clients[i].id, Part::train, 0);
    view.clients[i].counts.assign(view.columns.size(), 0.0);
    for (std::size_t row = 0; row < samples->size(); ++row) view.clients[i].counts[samples->label(row)] += 1;
  }
}

}  // namespace

DataView view_data(const RunRequest& request) {
  DataView view;
  const Config config = first_config(request, view.notes);
  std::unique_ptr<Federation> federation;
  try {
    federation = dealt(config, request);
  } catch (const BadConfig&) {
    throw;
  } catch (const Error& e) {
    throw BadConfig(std::string("error: ") + e.what());
  }
  view.name = config.name;
  view.source = config.federation.source_name;
  view.task = federation->shape().task;
  view.width = federation->shape().width;
  if (const TableSchema* table = federation->table()) view.target = table->target;
  view.truth_names = federation->truth().names;
  for (const std::string& note : federation->notes()) view.notes.push_back(note);
  for (std::size_t i = 0; i < federation->size(); ++i) {
    const auto id = static_cast<ClientId>(i);
    const ClientInfo info = federation->info(id);
    if (info.role == Role::test) continue;
    view.clients.push_back({id, federation->name(id), info.role, info, federation->shifts(id)});
  }
  if (view.task == Task::classification) {
    count_classes(*federation, view);
  } else {
    count_targets(*federation, view);
  }
  if (view.clients.size() > DataView::kMostCounted) {
    view.notes.push_back(fmt::format("rows are counted for the first {} of {} clients",
                                     DataView::kMostCounted, view.clients.size()));
  }
  return view;
}

}  // namespace coterie
