#include "stopping.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string_view>

#include "base/launch.h"
#include "coterie/run.h"

namespace coterie {
namespace {

// Written before the handler is there.
const char* g_stopping_after = "this round";
Launch g_launch;

void stop_soon(int signal) {
  request_stop();
  std::signal(signal, SIG_DFL);
  if (g_launch.rank > 0) return;
  const auto say = [](std::string_view text) {
    [[maybe_unused]] ssize_t wrote = write(STDERR_FILENO, text.data(), text.size());
  };
  // A launcher that was interrupted, or has lost a process, waits for a moment only.
  if (g_launch.count > 1 && signal == SIGTERM) {
    say("\nthe launcher ends this run (Ctrl-C, or a process was lost); --resume goes on from the last "
        "checkpoint\n");
    return;
  }
  say("\nstopping after ");
  say(g_stopping_after);
  say(g_launch.count > 1 ? "; if the launcher ends it before, --resume goes on from the last checkpoint\n"
                         : "; press Ctrl-C again to quit now\n");
}

}  // namespace

void stop_when_asked(const char* what) {
  g_stopping_after = what;
  g_launch = launch_of_environment();
  std::signal(SIGINT, stop_soon);
  std::signal(SIGTERM, stop_soon);
  // What mpirun hands on to its processes, and Slurm sends before a job's time is over (--signal=USR1@120).
  if (g_launch.count > 1) std::signal(SIGUSR1, stop_soon);
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace coterie
