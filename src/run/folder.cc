#include "run/folder.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "run/folder_lock.h"

namespace coterie {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kFiles[] = {"config.toml",  "rounds.jsonl", "events.jsonl",
                                  "times.csv",    "schema.json",  "clients.csv",
                                  "summary.json", "report.html",  "agreement.toml"};

// The models that a run wrote, as its schema.json lists them: "models/cluster-0.safetensors" ...
std::vector<std::string> listed_models(const std::string& schema) {
  std::vector<std::string> names;
  if (!is_file(schema)) return names;
  const Json json = Json::parse(read_file(schema), nullptr, false);
  if (!json.is_object() || !json.contains("models") || !json["models"].is_array()) return names;
  for (const Json& one : json["models"]) {
    std::string name = one.is_string() ? one.get<std::string>() : "";
    bool ours = name.starts_with("models/cluster-") && name.ends_with(".safetensors");
    if (ours && name.find("..") == std::string::npos) names.push_back(name);
  }
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
  if (!holds_run()) return;
  std::vector<std::string> names = listed_models(file("schema.json"));
  names.insert(names.end(), std::begin(kFiles), std::end(kFiles));
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

void RunFolder::remove() {
  clear();
  remove_file(file(kRunMark));
  remove_if_empty(path_);
}

void RunFolder::create() { make_folders(file("checkpoint")); }

void RunFolder::reopen(const std::string& config) const {
  FolderLock lock;
  lock.take(path_);
  remove_file(file("summary.json"));
  write_atomically(file("config.toml"), config);
}

void RunFolder::open_logs(std::uint64_t rounds_length, std::uint64_t events_length) {
  rounds_ = LogFile(file("rounds.jsonl"), rounds_length);
  events_ = LogFile(file("events.jsonl"), events_length);
}

void RunFolder::log_round(std::uint32_t round, const std::string& phase, const Record& record) {
  Json line{{"round", round}, {"phase", phase}};
  for (const auto& [name, figure] : record.metrics) line[name] = to_json(figure);
  rounds_.append(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void RunFolder::log_event(const Event& event) {
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
  std::string rows = "round,seconds\n";
  // A kill may have left half a row; its round is done again.
  const std::string before = is_file(file("times.csv")) ? read_file(file("times.csv")) : "";
  const std::vector<std::string> lines = split(before, '\n');
  for (std::uint32_t round = 1; round <= kept && round + 1 < lines.size(); ++round) {
    if (!lines[round].starts_with(std::to_string(round) + ",")) break;
    rows += lines[round] + '\n';
  }
  write_atomically(file("times.csv"), rows);
  times_ = LogFile(file("times.csv"), rows.size());
}

void RunFolder::log_time(std::uint32_t round, double seconds) {
  times_.append(fmt::format("{},{:.6f}\n", round, seconds));
}

void RunFolder::flush_logs() {
  times_.flush();
  rounds_.flush();
  events_.flush();
}

std::pair<std::uint64_t, std::uint64_t> RunFolder::sync_logs() {
  times_.flush();
  rounds_.sync();
  events_.sync();
  return {rounds_.length(), events_.length()};
}

namespace {

constexpr std::string_view kMagic = "coterie checkpoint 3\n";

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

void write_checkpoint(const RunFolder& folder, Checkpoint& checkpoint) {
  Bytes body = encode(checkpoint, Precision::f64);
  std::string content(kMagic);
  content.append(reinterpret_cast<const char*>(body.data()), body.size());
  std::uint32_t sum = checksum(content);
  content.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  write_atomically(folder.file("checkpoint/checkpoint.bin"), content);
}

std::optional<Checkpoint> read_checkpoint(const RunFolder& folder) {
  std::string path = folder.file("checkpoint/checkpoint.bin");
  if (!is_there(path)) return std::nullopt;
  std::string content = read_file(path);
  std::uint32_t sum = 0;
  if (content.size() >= kMagic.size() + sizeof sum) {
    std::memcpy(&sum, content.data() + content.size() - sizeof sum, sizeof sum);
    content.resize(content.size() - sizeof sum);
  }
  if (!content.starts_with(kMagic) || checksum(content) != sum) {
    throw Error(path + " is damaged or of another version; start again with --force");
  }
  std::string_view body = std::string_view(content).substr(kMagic.size());
  return decode<Checkpoint>(std::as_bytes(std::span(body.data(), body.size())), Precision::f64);
}

}  // namespace coterie
