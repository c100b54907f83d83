#include "fleets/grpc/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "base/excerpt.h"
#include "base/text.h"
#include "fleets/grpc/event_log.h"
#include "fleets/grpc/metrics_page.h"

namespace coterie::net {
namespace {

constexpr std::size_t kLately = 5;
constexpr auto kBetween = std::chrono::milliseconds(250);  // of two drawings

}  // namespace

Watch::Watch(const ServeRequest& request)
    : quiet_(request.quiet), terminal_(!request.quiet && isatty(STDERR_FILENO) != 0) {
  if (!request.log.empty()) log_ = std::make_unique<EventLog>(request.log);
  if (!request.metrics.empty())
    page_ = std::make_unique<MetricsPage>(request.metrics, [this] { return prometheus(); });
}
Watch::~Watch() = default;

// A full disk costs the log, not the run.
void Watch::log(const std::string& kind, const std::string& client, const std::string& text) {
  if (!log_) return;
  try {
    log_->add(kind, client, text);
  } catch (const Error& e) {
    log_.reset();
    std::cerr << on_a_screen(std::string("warning: the log ends here: ") + e.what()) << '\n';
  }
}

void Watch::say(const std::string& text) {
  const std::lock_guard guard(mutex_);
  log("note", "", text);
  if (quiet_) return;
  wipe();
  std::cerr << on_a_screen(text) << '\n';
  draw(true);
}

void Watch::show(std::size_t round, std::size_t rounds, const std::string& status) {
  const std::lock_guard guard(mutex_);
  round_ = round;
  rounds_ = rounds;
  status_ = status;
  log("round", "", fmt::format("{} of {}: {}", round, rounds, status));
  if (!quiet_ && !terminal_) {
    std::cerr << fmt::format("round {} of {}: {}; connected {}, {} down, {} up\n", round, rounds, status,
                             joined_, human_bytes(down_), human_bytes(up_));
  }
  draw(true);
}

void Watch::event(const char* kind, const std::string& client, const std::string& why) {
  const std::lock_guard guard(mutex_);
  const std::string_view what(kind);
  if (what == "refused") ++refused_;
  log(kind, client, why);
  const bool told = what == "dropped" || what == "refused" || what == "stalled" || what == "left";
  if (!told || quiet_) return;
  const std::string line =
      fmt::format("{} {}{}", kind, excerpt(client, 40), why.empty() ? "" : ": " + excerpt(why, 100));
  if (!terminal_ && what != "left") std::cerr << on_a_screen(line) << '\n';
  lately_.push_back(line);
  if (lately_.size() > kLately) lately_.erase(lately_.begin());
  draw(false);
}

void Watch::ask_begins(const std::string& job, std::uint32_t round, std::size_t asked,
                       std::chrono::steady_clock::time_point until) {
  const std::lock_guard guard(mutex_);
  ++asks_;
  job_ = job;
  asked_in_ = round;
  asked_ = asked;
  answered_ = 0;
  until_ = until;
  draw(false);
}

void Watch::answered(std::size_t so_far) {
  const std::lock_guard guard(mutex_);
  answered_ = so_far;
  draw(false);
}

void Watch::ask_ends() {
  const std::lock_guard guard(mutex_);
  job_.clear();
  draw(false);
}

void Watch::connected(std::size_t streams, std::size_t joined) {
  const std::lock_guard guard(mutex_);
  streams_ = streams;
  joined_ = joined;
  draw(false);
}

void Watch::wipe() {
  if (terminal_ && lines_ > 0) std::cerr << fmt::format("\x1b[{}A\x1b[J", lines_);
  lines_ = 0;
}

// The table is drawn over itself.
void Watch::draw(bool now) {
  if (!terminal_) return;
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - drawn_ < kBetween) return;
  drawn_ = time;
  wipe();
  const double passed = std::chrono::duration<double>(time - begun_).count();
  std::vector<std::string> lines;
  std::string left = "";
  if (round_ > 0 && rounds_ > round_)
    left = ", about " +
           human_seconds(passed / static_cast<double>(round_) * static_cast<double>(rounds_ - round_)) +
           " left";
  lines.push_back(fmt::format("round      {} of {}{}", round_, rounds_, left));
  lines.push_back(fmt::format("connected  {}", joined_));
  if (!job_.empty()) {
    const double more = std::chrono::duration<double>(until_ - time).count();
    lines.push_back(fmt::format("asked      {} ({}, round {}), {} answered, {} until the deadline", asked_,
                                job_, asked_in_, answered_, human_seconds(std::max(0.0, more))));
  }
  lines.push_back(fmt::format("dropped    {} in all", dropped_.load()));
  lines.push_back(fmt::format("bytes      {} down, {} up, {} not sent again", human_bytes(down_),
                              human_bytes(up_), human_bytes(saved_)));
  if (!status_.empty()) lines.push_back("figures    " + status_);
  for (const std::string& line : lately_) lines.push_back("  " + line);
  for (const std::string& line : lines) std::cerr << on_a_screen(line) << '\n';
  std::cerr << std::flush;
  lines_ = lines.size();
}

std::string Watch::prometheus() const {
  const std::lock_guard guard(mutex_);
  std::string text;
  const auto add = [&](const char* name, const char* kind, const char* help, double value) {
    text += fmt::format("# HELP coterie_{0} {1}\n# TYPE coterie_{0} {2}\ncoterie_{0} {3}\n", name, help, kind,
                        value);
  };
  add("round", "gauge", "the round that was last concluded", static_cast<double>(round_));
  add("rounds", "gauge", "rounds of the run", static_cast<double>(rounds_));
  add("streams", "gauge", "streams that are open", static_cast<double>(streams_));
  add("clients_joined", "gauge", "clients that are connected and have joined", static_cast<double>(joined_));
  add("asked", "gauge", "clients asked in the ask under way", static_cast<double>(job_.empty() ? 0 : asked_));
  add("answered", "gauge", "of these, dealt with", static_cast<double>(job_.empty() ? 0 : answered_));
  add("asks_total", "counter", "asks so far", static_cast<double>(asks_));
  add("dropped_total", "counter", "turns that clients lost: too late, not there, damaged",
      static_cast<double>(dropped_));
  add("refused_total", "counter", "clients that were not let in", static_cast<double>(refused_));
  add("sent_bytes_total", "counter", "bytes sent, as messages", static_cast<double>(down_));
  add("received_bytes_total", "counter", "bytes received, as messages", static_cast<double>(up_));
  add("saved_bytes_total", "counter", "bytes of shelf items that clients still held",
      static_cast<double>(saved_));
  return text;
}

}  // namespace coterie::net
