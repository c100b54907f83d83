#include "reproduce/attempts.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/md5.h"
#include "base/text.h"
#include "run/folder.h"
#include "run/identity.h"

namespace coterie {

using Json = nlohmann::ordered_json;

Attempts::Attempts(std::string file, LightRunner& runner) : file_(std::move(file)), runner_(runner) {
  std::string whole;
  if (is_there(file_)) {
    for (const std::string& line : split(read_file(file_), '\n')) {
      Json one = Json::parse(line, nullptr, false);
      const bool whole_line = one.is_object() && one.contains("run") && one["run"].is_string() &&
                              one.contains("figures") && one["figures"].is_object();
      if (!whole_line) continue;
      auto& figures = known_[one["run"].get<std::string>()];
      for (const auto& [name, value] : one["figures"].items()) {
        figures[name] = value.is_number() ? value.get<double>() : std::nan("");
      }
      whole += line + "\n";
    }
    write_atomically(file_, whole);
  }
  log_ = LogFile(file_, LogFile::Mark::of(whole));
}

std::optional<double> Attempts::figure(const Config& config, const std::string& figure,
                                       const std::string& name) {
  std::string identity = md5_of(bits_of(config.resolved()));
  auto found = known_.find(identity);
  if (found == known_.end()) {
    LightRun run = runner_.run(config);
    if (run.stopped) return std::nullopt;
    ++made_;
    Json line{{"run", identity}, {"name", name}, {"figures", Json::object()}};
    auto& figures = known_[identity];
    for (const auto& [key, value] : run.metrics.metrics) {
      const double* number = std::get_if<double>(&value);
      if (number == nullptr) continue;
      figures[key] = *number;
      line["figures"][key] = *number;
    }
    if (!run.error.empty()) line["error"] = run.error;
    log_.append(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
    log_.flush();
    found = known_.find(identity);
  }
  if (found->second.empty()) return std::nan("");  // it ended early
  auto value = found->second.find(figure);
  if (value == found->second.end())
    throw Error("there is no figure called " + figure + " in a run's last round");
  return value->second;
}

}  // namespace coterie
