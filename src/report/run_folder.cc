#include "report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/sealed_summary.h"
#include "base/text.h"
#include "base/value.h"
#include "report/csv_rows.h"
#include "run/checkpoint.h"
#include "run/folder_lock.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string path_of(const std::string& folder, const char* file) {
  return (fs::path(folder) / file).string();
}

// The text of a file; empty when there is none.
std::string text_of(const std::string& path) { return is_file(path) ? read_file(path) : ""; }

double number(const Json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : kAbsent;
}

std::string word(const Json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

template <class Whole>
std::optional<Whole> whole_number(const Json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_number_unsigned() ? std::optional(it->get<Whole>()) : std::nullopt;
}

Json parse(const std::string& text, const std::string& where) {
  Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) throw Error(where + ": is not a JSON object; was the file changed or cut?");
  return object;
}

void for_each_line(const std::string& path,
                   const std::function<void(const std::string&, const std::string&)>& use) {
  int number = 0;
  for (const std::string& line : split(text_of(path), '\n')) {
    ++number;
    if (!trim(line).empty()) use(line, fmt::format("{}:{}", path, number));
  }
}

void add_metrics(const Json& json, RunSummary& s) {
  const auto all = json.find("metrics");
  if (all == json.end() || !all->is_object()) return;
  for (const auto& [name, one] : all->items()) {
    if (!one.is_object()) continue;
    MetricFigures figures{number(one, "mean"), kAbsent, {}, number(one, "test")};
    if (const auto worst = one.find("worst"); worst != one.end() && worst->is_object()) {
      figures.worst = number(*worst, "value");
      figures.worst_client = whole_number<std::uint32_t>(*worst, "client");
    }
    s.metrics[name] = figures;
  }
  s.auc = s.metrics["auc"].mean;
  s.balanced_accuracy = s.metrics["balanced_accuracy"].mean;
  s.majority = s.metrics["majority"].mean;
  const MetricFigures& rmse = s.metrics["rmse"];
  s.rmse = rmse.mean;
  s.rmse_worst = rmse.worst;
  s.test_rmse = rmse.test;
  s.r2 = s.metrics["r2"].mean;
  std::erase_if(s.metrics, [](const auto& one) { return !std::isfinite(one.second.mean); });
}

RunSummary summary_of(const Json& json) {
  RunSummary s;
  s.algorithm = word(json, "algorithm");
  s.name = word(json, "name");
  s.dataset = word(json, "dataset");
  s.model = word(json, "model");
  s.verdict = word(json, "verdict");
  s.attack = word(json, "attack");
  s.seed = whole_number<std::uint64_t>(json, "seed").value_or(0);
  if (auto it = json.find("accuracy"); it != json.end() && it->is_object()) {
    s.accuracy = number(*it, "mean");
    s.accuracy_std = number(*it, "std");
    s.accuracy_min = number(*it, "min");
  }
  const std::pair<const char*, double RunSummary::*> kFigures[] = {
      {"rounds", &RunSummary::rounds},
      {"clusters", &RunSummary::clusters},
      {"clients", &RunSummary::clients},
      {"judged", &RunSummary::judged},
      {"loss", &RunSummary::loss},
      {"test_accuracy", &RunSummary::test_accuracy},
      {"test_loss", &RunSummary::test_loss},
      {"ari", &RunSummary::ari},
      {"nmi", &RunSummary::nmi},
      {"cluster_accuracy", &RunSummary::cluster_accuracy},
      {"worst_cluster", &RunSummary::worst_cluster},
      {"parameter_error", &RunSummary::parameter_error},
      {"bytes_up", &RunSummary::bytes_up},
      {"bytes_down", &RunSummary::bytes_down},
      {"bytes_eval", &RunSummary::bytes_eval},
      {"bytes_overhead", &RunSummary::bytes_overhead},
      {"seconds", &RunSummary::seconds},
      {"seconds_per_round", &RunSummary::seconds_per_round},
      {"threads", &RunSummary::threads},
      {"peak_rss_bytes", &RunSummary::peak_rss_bytes},
  };
  for (const auto& [key, member] : kFigures) s.*member = number(json, key);
  add_metrics(json, s);
  return s;
}

RoundLine round_of(const Json& json) {
  RoundLine line;
  line.round = whole_number<std::uint32_t>(json, "round").value_or(0);
  line.phase = word(json, "phase");
  for (const auto& [key, value] : json.items()) {
    if (value.is_number() && key != "round") line.figures[key] = value.get<double>();
  }
  if (auto it = json.find("sizes"); it != json.end() && it->is_array()) {
    for (const Json& size : *it) line.sizes.push_back(size.is_number() ? size.get<double>() : kAbsent);
  }
  return line;
}

EventLine event_of(const Json& json) {
  EventLine event;
  event.round = whole_number<std::uint32_t>(json, "round").value_or(0);
  event.kind = word(json, "kind");
  event.client = whole_number<std::uint32_t>(json, "client");
  event.text = word(json, "text");
  for (const auto& [key, value] : json.items()) {
    if (value.is_number() && key != "round" && key != "client")
      event.numbers.emplace_back(key, value.get<double>());
  }
  if (auto it = json.find("clients"); it != json.end() && it->is_array()) {
    for (const Json& one : *it) {
      if (one.is_number_unsigned()) event.clients.push_back(one.get<std::uint32_t>());
    }
  }
  return event;
}

void add_runs_inside(const fs::path& folder, int depth, std::vector<std::string>& found,
                     std::vector<std::string>& unfinished) {
  if (is_run_folder(folder.string())) {
    found.push_back(folder.string());
    return;
  }
  if (is_file(path_of(folder, "config.toml")) && is_file(path_of(folder, "rounds.jsonl"))) {
    unfinished.push_back(folder.string());
    return;
  }
  if (depth == 0) return;
  for (const std::string& name : names_in(folder.string())) {
    const std::string inside = (folder / name).string();
    if (is_folder(inside)) add_runs_inside(inside, depth - 1, found, unfinished);
  }
}

}  // namespace

std::string RunRecord::title() const {
  if (!summary.name.empty()) return summary.name;
  fs::path path = fs::path(folder).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

std::vector<std::pair<double, double>> RunRecord::curve(const std::string& figure) const {
  std::vector<std::pair<double, double>> points;
  for (const RoundLine& line : rounds) {
    double value = line.figure(figure);
    if (line.phase != "init" && std::isfinite(value)) points.emplace_back(line.round, value);
  }
  return points;
}

bool is_run_folder(const std::string& folder) { return is_file(path_of(folder, "summary.json")); }

std::string progress_text(const std::string& folder) {
  try {
    const std::optional<Checkpoint> saved = read_checkpoint(RunFolder(folder));
    if (!saved) return "";
    const Table config = read_toml(path_of(folder, "config.toml"));
    const Value* rounds = find_path(config, "rounds.count");
    const auto* count = rounds == nullptr ? nullptr : std::get_if<std::int64_t>(&rounds->data);
    const std::string of = count == nullptr ? "" : fmt::format(" of {}", *count);
    if (FolderLock::held(folder)) return fmt::format("under way, saved after round {}{}", saved->round, of);
    return fmt::format("stopped after round {}{}; go on with --resume", saved->round, of);
  } catch (const Error&) {
    return "";  // what is wrong with it is said when somebody resumes
  }
}

std::string unfinished_text(const std::vector<std::string>& unfinished) {
  if (unfinished.empty()) return "";
  std::vector<std::string> parts;
  for (const std::string& folder : unfinished) {
    const std::string how_far = progress_text(folder);
    parts.push_back(how_far.empty() ? folder : folder + " (" + how_far + ")");
  }
  return fmt::format("{} not finished: {}", counted(unfinished.size(), "run"), join(parts, ", "));
}

std::vector<std::string> find_runs(const std::vector<std::string>& folders,
                                   std::vector<std::string>* unfinished) {
  constexpr int kDepth = 4;  // results/<id>/<runs>/<swept values>/
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    if (!is_folder(folder)) throw Error(folder + ": no such folder");
    std::size_t before = found.size();
    std::vector<std::string> begun;
    add_runs_inside(folder, kDepth, found, begun);
    if (found.size() == before) {
      if (begun.empty()) throw Error(folder + " holds no run, nor do its subfolders");
      throw Error(folder + " holds no finished run (a summary.json); " + unfinished_text(begun) +
                  "; coterie run with --resume goes on");
    }
    if (unfinished != nullptr) unfinished->insert(unfinished->end(), begun.begin(), begun.end());
  }
  return found;
}

RunRecord read_run(const std::string& folder) {
  if (!is_folder(folder)) throw Error(folder + ": no such folder");
  if (is_file(path_of(folder, "sweep.json"))) {
    throw Error(folder + " holds a sweep: name one of its runs, or see them all with coterie compare " +
                folder);
  }
  if (!is_run_folder(folder)) {
    const std::string how_far = progress_text(folder);
    throw Error(folder + " holds no summary.json: not a finished run" +
                (how_far.empty() ? "" : ", " + how_far));
  }
  RunRecord run;
  run.folder = folder;
  const nlohmann::ordered_json summary = read_summary(folder);
  check_summary(folder, summary, Vouched::others);
  run.summary = summary_of(summary);
  if (run.summary.algorithm.empty()) {
    throw Error(path_of(folder, "summary.json") + ": names no algorithm, so it is not the summary of a run");
  }
  run.config = text_of(path_of(folder, "config.toml"));
  for_each_line(path_of(folder, "rounds.jsonl"), [&](const std::string& line, const std::string& where) {
    run.rounds.push_back(round_of(parse(line, where)));
  });
  for (const RoundLine& line : run.rounds) {
    if (line.sizes.empty()) continue;
    run.summary.clusters_found = static_cast<double>(
        std::count_if(line.sizes.begin(), line.sizes.end(), [](double size) { return size > 0; }));
  }
  return run;
}

std::vector<ClientRow> read_clients(const std::string& folder) {
  std::vector<ClientRow> clients;
  for_each_row(path_of(folder, "clients.csv"), [&](const CsvRow& row) {
    ClientRow client;
    client.id = row.index("id").value_or(0);
    client.name = row.text("name");
    client.role = row.text("role");
    client.samples = row.number("samples");
    client.truth = row.index("truth");
    client.truth_name = row.text("truth_name");
    client.cluster = row.index("cluster");
    client.weight = row.number("weight");
    client.loss = row.number("loss");
    client.accuracy = row.number("accuracy");
    client.auc = row.number("auc");
    client.rmse = row.number("rmse");
    for (const std::string& count : split(row.text("labels"), ' ')) {
      if (!count.empty()) client.labels.push_back(std::atof(count.c_str()));
    }
    clients.push_back(std::move(client));
  });
  return clients;
}

std::string grouping_text(const std::vector<EventLine>& events) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind == "clusters-found") {
      return fmt::format("By the clients' own models, round {}: {}.", event->round, event->text);
    }
  }
  return "";
}

std::vector<EventLine> read_events(const std::string& folder) {
  std::vector<EventLine> events;
  for_each_line(path_of(folder, "events.jsonl"), [&](const std::string& line, const std::string& where) {
    events.push_back(event_of(parse(line, where)));
  });
  return events;
}

}  // namespace coterie
