// How far a run has come: a bar on a terminal, a line now and then otherwise.
#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include "base/excerpt.h"
#include "base/text.h"

namespace coterie {

namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr int kBarCells = 24;

// By the same precedence as setlocale().
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string_view locale(value);
    for (std::string_view known : {"UTF-8", "utf8", "utf-8", "UTF8"}) {
      if (locale.find(known) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

std::string bar(double part, bool unicode) {
  if (!unicode) {
    int full = static_cast<int>(part * kBarCells);
    return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", kBarCells - full);
  }
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int eighths = static_cast<int>(part * kBarCells * 8);
  int drawn = (eighths + 7) / 8;
  return fmt::format("▕{:█<{}}{}{: <{}}▏", "", eighths / 8, kEighths[eighths % 8], "", kBarCells - drawn);
}

}  // namespace

Progress::Style Progress::style_of_stderr(bool quiet) {
  Style style;
  style.quiet = quiet;
  style.terminal = isatty(STDERR_FILENO) == 1;
  style.unicode = locale_is_utf8();
  winsize size{};
  if (style.terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.columns = size.ws_col;
  return style;
}

double Progress::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(std::ostream& out, Style style, std::string unit, Clock clock)
    : out_(out),
      style_(style),
      unit_(std::move(unit)),
      clock_(std::move(clock)),
      begun_(clock_()),
      drawn_(begun_) {}

Progress::~Progress() { finish(); }

void Progress::show(std::size_t done, std::size_t total, const std::string& status) {
  bool first = !any_;
  if (first) first_done_ = done;
  any_ = true;
  done_ = std::min(done, total);
  total_ = total;
  status_ = status;
  bar_current_ = false;
  if (style_.quiet || total == 0) return;
  if (style_.terminal) {
    if (first || clock_() - drawn_ >= kRedrawSeconds) draw_bar();
    return;
  }
  std::size_t tenths = done_ * 10 / total_;
  if (first ? done_ > 0 : tenths > tenths_) out_ << plain_line() << std::endl;
  tenths_ = tenths;
}

void Progress::say(const std::string& message) {
  if (style_.quiet) return;
  const std::string line = on_a_screen(message);
  if (!bar_shown_) {
    out_ << line << std::endl;
    return;
  }
  out_ << "\r\x1b[K" << line << '\n';
  draw_bar();
}

void Progress::finish() {
  if (!style_.quiet && style_.terminal && any_ && total_ > 0) {
    if (!bar_current_) draw_bar();
    if (bar_shown_) out_ << std::endl;
  }
  bar_shown_ = false;
  any_ = false;
}

void Progress::draw_bar() {
  out_ << '\r' << bar_line() << "\x1b[K" << std::flush;
  drawn_ = clock_();
  bar_shown_ = true;
  bar_current_ = true;
}

std::string Progress::bar_line() const {
  double part = static_cast<double>(done_) / static_cast<double>(total_);
  double elapsed = clock_() - begun_;
  std::string times = human_seconds(elapsed);
  if (done_ > first_done_ && done_ < total_) {
    double each = elapsed / static_cast<double>(done_ - first_done_);
    times += ", " + human_seconds(each * static_cast<double>(total_ - done_)) + " left";
  }
  std::string after =
      fmt::format(" {} {}/{}  {}{}{}", unit_, done_, total_, times, status_.empty() ? "" : "  ", status_);
  // One column stays free: some terminals wrap a line that is exactly full.
  int room = std::max(0, style_.columns - 1 - (kBarCells + 2));
  if (static_cast<int>(after.size()) > room) after.resize(room);
  return bar(part, style_.unicode) + after;
}

std::string Progress::plain_line() const {
  return fmt::format("{} {}/{}  {}{}{}", unit_, done_, total_, human_seconds(clock_() - begun_),
                     status_.empty() ? "" : "  ", status_);
}

}  // namespace coterie
