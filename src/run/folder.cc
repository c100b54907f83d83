#include "run/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

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

constexpr const char* kFiles[] = {"config.toml", "rounds.jsonl", "events.jsonl", "times.csv",
                                  "clients.csv", "summary.json", "report.html"};
constexpr const char* kFolders[] = {"models", "checkpoint"};

Json to_json(const Figure& figure) {
  if (const auto* one = std::get_if<double>(&figure)) return *one;
  return std::get<std::vector<double>>(figure);
}

}  // namespace

bool RunFolder::holds_run() const { return fs::exists(file("config.toml")); }
bool RunFolder::finished() const { return fs::exists(file("summary.json")); }

void RunFolder::clear() {
  std::error_code
      ignored;  // what cannot be removed cannot be replaced either, and that is an error with a name
  for (const char* name : kFiles) fs::remove(file(name), ignored);
  for (const char* name : kFolders) fs::remove_all(file(name), ignored);
}

void RunFolder::create() {
  std::error_code error;
  fs::create_directories(file("checkpoint"), error);
  if (error) throw Error("cannot make the folder " + path_ + ": " + error.message());
}

void RunFolder::open_logs(std::uint64_t rounds_length, std::uint64_t events_length) {
  auto cut = [&](const std::string& name, std::uint64_t length, std::ofstream& out) {
    { std::ofstream touch(file(name), std::ios::app); }
    if (fs::file_size(file(name)) < length) throw Error(file(name) + " is shorter than its checkpoint says");
    fs::resize_file(file(name), length);
    out.open(file(name), std::ios::app | std::ios::binary);
    if (!out) throw Error("cannot write " + file(name));
  };
  cut("rounds.jsonl", rounds_length, rounds_);
  cut("events.jsonl", events_length, events_);
}

void RunFolder::log_round(std::uint32_t round, const std::string& phase, const Record& record) {
  Json line{{"round", round}, {"phase", phase}};
  for (const auto& [name, figure] : record.figures) line[name] = to_json(figure);
  rounds_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void RunFolder::log_event(const Event& event) {
  Json line{{"round", event.round}, {"kind", event.kind}};
  if (event.client) line["client"] = *event.client;
  line["text"] = event.text;
  for (const auto& [name, number] : event.numbers) line[name] = number;
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

constexpr std::string_view kMagic = "coterie checkpoint 1\n";

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
