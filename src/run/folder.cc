#include "run/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run/folder_lock.h"

namespace coterie {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// A file's content, or a folder's list of files, as of now.
void sync_to_disk(const std::string& path) {
  int file = open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
  bool good = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  if (!good) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

void write_atomically(const std::string& path, std::string_view content) {
  std::string temporary = path + ".new";
  int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = file >= 0;
  for (std::size_t done = 0; good && done < content.size();) {
    ssize_t wrote = write(file, content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    good = wrote > 0;
    if (good) done += static_cast<std::size_t>(wrote);
  }
  good = good && fsync(file) == 0;
  if (file >= 0) good = close(file) == 0 && good;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    throw Error("cannot write " + path + ": " + std::strerror(errno));
  }
  sync_to_disk(fs::path(path).parent_path());
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read " + path);
  std::stringstream whole;
  whole << in.rdbuf();
  return whole.str();
}

namespace {

constexpr const char* kFiles[] = {"config.toml",  "rounds.jsonl", "events.jsonl",
                                  "times.csv",    "schema.json",  "clients.csv",
                                  "summary.json", "report.html",  "agreement.toml"};

void remove_if_empty(const std::string& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) fs::remove(folder, ignored);  // refused when anything is in it
}

// The models that a run wrote, as its schema.json lists them: "models/cluster-0.safetensors" ...
std::vector<std::string> listed_models(const std::string& schema) {
  std::ifstream in(schema);
  Json json = Json::parse(in, nullptr, false);
  std::vector<std::string> names;
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
  auto has = [&](const char* name) { return fs::is_regular_file(file(name)); };
  return has(kRunMark) || (has("config.toml") && has("rounds.jsonl") && has("events.jsonl"));
}
bool RunFolder::finished() const { return fs::exists(file("summary.json")); }

bool RunFolder::vacant() const {
  std::error_code error;
  return !fs::exists(path_, error) || fs::is_empty(path_, error);
}

void RunFolder::clear() {
  if (!holds_run()) return;
  std::vector<std::string> names = listed_models(file("schema.json"));
  names.insert(names.end(), std::begin(kFiles), std::end(kFiles));
  names.push_back("checkpoint/checkpoint.bin");
  // What cannot be removed cannot be replaced either, and that is an error with a name.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(file("checkpoint"), ignored)) {
    std::string name = entry.path().filename().string();
    if (is_state_file(name)) names.push_back("checkpoint/" + name);
  }
  for (const std::string& name : names) {
    for (const std::string& path : {file(name), file(name + ".new")}) {
      if (!fs::is_directory(path, ignored)) fs::remove(path, ignored);
    }
  }
  remove_if_empty(file("models"));
  remove_if_empty(file("checkpoint"));
}

void RunFolder::remove() {
  clear();
  std::error_code ignored;
  fs::remove(file(kRunMark), ignored);
  remove_if_empty(path_);
}

void RunFolder::create() {
  std::error_code error;
  fs::create_directories(file("checkpoint"), error);
  if (error) throw Error("cannot make the folder " + path_ + ": " + error.message());
}

void RunFolder::reopen(const std::string& config) const {
  FolderLock lock;
  lock.take(path_);
  std::error_code absent;
  fs::remove(file("summary.json"), absent);
  write_atomically(file("config.toml"), config);
}

void RunFolder::open_logs(std::uint64_t rounds_length, std::uint64_t events_length) {
  auto cut = [&](const std::string& name, std::uint64_t length, std::ofstream& out) {
    { std::ofstream touch(file(name), std::ios::app); }
    if (fs::file_size(file(name)) < length)
      throw Error(file(name) + " is shorter than its checkpoint says; start again with --force");
    fs::resize_file(file(name), length);
    out.open(file(name), std::ios::app | std::ios::binary);
    if (!out) throw Error("cannot write " + file(name));
  };
  cut("rounds.jsonl", rounds_length, rounds_);
  cut("events.jsonl", events_length, events_);
}

void RunFolder::log_round(std::uint32_t round, const std::string& phase, const Record& record) {
  Json line{{"round", round}, {"phase", phase}};
  for (const auto& [name, figure] : record.metrics) line[name] = to_json(figure);
  rounds_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
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
  events_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void RunFolder::open_times(std::uint32_t kept) {
  constexpr const char* kHeader = "round,seconds";
  std::ostringstream rows;
  rows << kHeader << '\n';
  // A kill may have left half a row; its round is done again.
  std::ifstream before(file("times.csv"));
  std::string row;
  std::getline(before, row);
  for (std::uint32_t round = 1; round <= kept && std::getline(before, row); ++round) {
    if (!row.starts_with(std::to_string(round) + ",")) break;
    rows << row << '\n';
  }
  before.close();
  times_.open(file("times.csv"), std::ios::trunc | std::ios::binary);
  if (!(times_ << rows.str())) throw Error("cannot write " + file("times.csv"));
}

void RunFolder::log_time(std::uint32_t round, double seconds) {
  times_ << round << ',' << fmt::format("{:.6f}", seconds) << '\n';
}

std::pair<std::uint64_t, std::uint64_t> RunFolder::flush_logs() {
  times_.flush();
  if (!rounds_.flush() || !events_.flush()) throw Error("cannot write the logs in " + path_);
  return {static_cast<std::uint64_t>(rounds_.tellp()), static_cast<std::uint64_t>(events_.tellp())};
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
  // The logs it gives the lengths of come first.
  sync_to_disk(folder.file("rounds.jsonl"));
  sync_to_disk(folder.file("events.jsonl"));
  write_atomically(folder.file("checkpoint/checkpoint.bin"), content);
}

std::optional<Checkpoint> read_checkpoint(const RunFolder& folder) {
  std::string path = folder.file("checkpoint/checkpoint.bin");
  if (!fs::exists(path)) return std::nullopt;
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
