#include "fleets/grpc/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace coterie::net {

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

EventLog::EventLog(const std::string& path) : file_(path, OpenFile::Mode::change), end_(file_.size()) {}

void EventLog::add(const std::string& kind, const std::string& client, const std::string& text) {
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  std::string line =
      fmt::format("{{\"time\": \"{:%Y-%m-%dT%H:%M:%SZ}\", \"event\": {}", fmt::gmtime(now), json_text(kind));
  if (!client.empty()) line += ", \"client\": " + json_text(client);
  if (!text.empty()) line += ", \"text\": " + json_text(text);
  line += "}\n";
  file_.write(std::as_bytes(std::span(line.data(), line.size())), end_);
  end_ += line.size();
}

}  // namespace coterie::net
