#include "base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "coterie/error.h"

namespace coterie {
namespace {

constexpr std::size_t kMostOutput = 1 << 20;  // kept; a child that writes more goes on unheard

std::string read_all(int pipe) {
  std::string text;
  char piece[4096];
  while (true) {
    ssize_t got = read(pipe, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < kMostOutput) text.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string ProgramResult::reason() const {
  if (!found) return "it is not installed";
  std::string last;
  for (const std::string& line : split(output, '\n')) {
    if (std::string text = trim(line); !text.empty()) last = text;
  }
  return last.empty() ? "exit status " + std::to_string(status) : last;
}

ProgramResult run_program(const std::vector<std::string>& words, const std::string& folder) {
  check(!words.empty(), "a program without a name");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());

  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ProgramResult result;
  if (failed == 0) result.output = read_all(ends[0]);
  close(ends[0]);
  if (failed == ENOENT) {
    result.found = false;
    return result;
  }
  if (failed != 0) throw Error("cannot run " + words[0] + ": " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error("cannot wait for " + words[0] + ": " + std::strerror(errno));
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace coterie
