// How far a run has come: a bar on a terminal, a line now and then otherwise.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace coterie {

class Progress {
 public:
  // Where and how to draw.
  struct Style {
    bool quiet = false;     // draw nothing at all
    bool terminal = false;  // one line, drawn over and over
    bool unicode = false;   // block characters in the bar
    int columns = 80;       // of the terminal
  };
  // What suits standard error: is it a terminal, how wide, does the locale speak UTF-8.
  static Style style_of_stderr(bool quiet);

  using Clock = std::function<double()>;  // seconds, from any zero
  static double steady_seconds();

  // `unit` names what is counted: "round".
  Progress(std::ostream& out, Style style, std::string unit, Clock clock = steady_seconds);
  // Ends the line of a bar that is still shown.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `status` is a few words, such as "accuracy 0.93  ARI 1.00".
  void show(std::size_t done, std::size_t total, const std::string& status);
  // A line of its own above the bar, for warnings; not when quiet.
  void say(const std::string& message);
  // The last bar stays and its line is ended. Nothing happens when there is none.
  void finish();

 private:
  std::string bar_line() const;
  std::string plain_line() const;
  void draw_bar();

  std::ostream& out_;
  Style style_;
  std::string unit_;
  Clock clock_;
  double begun_;
  double drawn_;                // when the bar was last drawn
  std::size_t tenths_ = 0;      // of the work, at the last plain line
  std::size_t first_done_ = 0;  // what was done before this program: a resumed run
  bool any_ = false;            // show() was called
  bool bar_shown_ = false;      // the cursor is on a bar's line
  bool bar_current_ = false;    // and that bar shows the latest state
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  std::string status_;
};

}  // namespace coterie
