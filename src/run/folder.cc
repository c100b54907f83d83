#include "run/folder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/sealed_summary.h"
#include "base/text.h"
#include "run/model_files.h"

namespace coterie {

using Json = nlohmann::ordered_json;

namespace {

// The summary goes first: what is left when a removal is cut short is no finished run.
constexpr const char* kFiles[] = {"summary.json",   "config.toml",     "rounds.jsonl",      "events.jsonl",
                                  "times.csv",      "schema.json",     "clients.csv",       "report.html",
                                  "agreement.toml", "assign.json",     "split.csv",         "losses.csv",
                                  "means.csv",      "checkpoint/life", "checkpoint/clients"};

std::vector<std::string> listed_models(const std::string& schema) {
  std::vector<std::string> names;
  if (!is_file(schema)) return names;
  const Json json = Json::parse(read_file(schema), nullptr, false);
  if (!json.is_object() || !json.contains("models") || !json["models"].is_array()) return names;
  for (const Json& one : json["models"]) names.push_back(one.is_string() ? one.get<std::string>() : "");
  return names;
}

// states-<bytes>.bin, the files of the clients' states.
bool is_state_file(const std::string& name) {
  constexpr std::string_view kBefore = "states-";
  constexpr std::string_view kAfter = ".bin";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return false;
  std::string_view number(name);
  number.remove_prefix(kBefore.size());
  number.remove_suffix(std::min(number.size(), kAfter.size()));
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

Json to_json(const MetricValue& figure) {
  if (const auto* one = std::get_if<double>(&figure)) return *one;
  return std::get<std::vector<double>>(figure);
}

}  // namespace

bool RunFolder::holds_run() const {
  auto has = [&](const char* name) { return is_file(file(name)); };
  return has(kRunMark) || (has("config.toml") && has("rounds.jsonl") && has("events.jsonl"));
}
bool RunFolder::finished() const { return is_there(file("summary.json")); }

bool RunFolder::vacant() const { return names_in(path_).empty(); }

void RunFolder::clear() {
  if (!keeps_ || !holds_run()) return;
  std::vector<std::string> names(std::begin(kFiles), std::end(kFiles));
  for (const std::string& model : models()) names.push_back(model);
  names.push_back("checkpoint/checkpoint.bin");
  for (const std::string& name : names_in(file("checkpoint"))) {
    if (is_state_file(name)) names.push_back("checkpoint/" + name);
  }
  for (const std::string& name : names) {
    remove_file(file(name));
    remove_file(file(name + ".new"));
  }
  remove_if_empty(file("models"));
  remove_if_empty(file("checkpoint"));
}

std::vector<std::string> RunFolder::models() const {
  const std::vector<std::string> listed = listed_models(file("schema.json"));
  std::set<std::string> names(listed.begin(), listed.end());
  for (const std::string& name : vouched_models(path_)) names.insert(name);
  std::erase_if(names, [](const std::string& name) { return !is_model_file(name); });
  return {names.begin(), names.end()};
}

void RunFolder::remove_models() const {
  if (!keeps_) return;
  for (const std::string& name : models()) remove_file(file(name));
}

void RunFolder::remove() {
  clear();
  remove_file(file(kRunMark));
  remove_if_empty(path_);
}

void RunFolder::write(const std::string& name, const std::string& text) const {
  if (keeps_) write_atomically(file(name), text);
}

void RunFolder::create() {
  if (keeps_) make_folders(file("checkpoint"));
}

void RunFolder::reopen(const std::string& config) const {
  if (!keeps_) return;
  const std::vector<std::string> old = models();
  remove_file(file("summary.json"));
  for (const std::string& name : old) remove_file(file(name));
  write_atomically(file("config.toml"), config);
}

void RunFolder::check_logs(const LogFile::Mark& rounds, const LogFile::Mark& events) const {
  LogFile::check(file("rounds.jsonl"), rounds);
  LogFile::check(file("events.jsonl"), events);
}

void RunFolder::open_logs(const LogFile::Mark& rounds, const LogFile::Mark& events) {
  if (!keeps_) return;
  check_logs(rounds, events);  // neither is cut before both are known to be whole
  rounds_ = LogFile(file("rounds.jsonl"), rounds);
  events_ = LogFile(file("events.jsonl"), events);
}

void RunFolder::log_round(std::uint32_t round, const std::string& phase, const Record& record) {
  if (!keeps_) return;
  Json line{{"round", round}, {"phase", phase}};
  for (const auto& [name, figure] : record.metrics) line[name] = to_json(figure);
  rounds_.append(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void RunFolder::log_event(const Event& event) {
  if (!keeps_) return;
  Json line{{"round", event.round}, {"kind", event.kind}};
  if (event.client) line["client"] = *event.client;
  line["text"] = event.text;
  for (const auto& [name, number] : event.numbers) {
    const bool whole = std::fabs(number) < 1e15 && number == std::round(number);
    line[name] = whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }
  if (!event.clients.empty()) line["clients"] = event.clients;
  events_.append(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void RunFolder::open_times(std::uint32_t kept) {
  if (!keeps_) return;
  std::string rows = "round,seconds\n";
  // A kill may have left half a row; its round is done again.
  const std::string before = is_file(file("times.csv")) ? read_file(file("times.csv")) : "";
  const std::vector<std::string> lines = split(before, '\n');
  for (std::uint32_t round = 1; round <= kept && round + 1 < lines.size(); ++round) {
    if (!lines[round].starts_with(std::to_string(round) + ",")) break;
    rows += lines[round] + '\n';
  }
  write_atomically(file("times.csv"), rows);
  times_ = LogFile(file("times.csv"), LogFile::Mark::of(rows));
}

void RunFolder::log_time(std::uint32_t round, double seconds) {
  if (keeps_) times_.append(fmt::format("{},{:.6f}\n", round, seconds));
}

void RunFolder::flush_logs() {
  if (!keeps_) return;
  times_.flush();
  rounds_.flush();
  events_.flush();
}

std::pair<LogFile::Mark, LogFile::Mark> RunFolder::sync_logs() {
  if (!keeps_) return {};
  times_.flush();
  rounds_.sync();
  events_.sync();
  return {rounds_.mark(), events_.mark()};
}

}  // namespace coterie
