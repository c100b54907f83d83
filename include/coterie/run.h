// Running experiments: what the command line calls, and what a program that embeds the engine can call.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace coterie {

class Elsewhere;

struct RunOutcome {
  std::string folder;
  std::string label;     // the swept values, "" for a single run
  bool finished = true;  // false: failed, or interrupted with a checkpoint to resume from
  std::string error;     // why it failed; empty when it did not
};

struct RunRequest {
  std::string file;                    // the config
  std::string text;                    // its content, when it is not on disk; `file` then names it in errors
  std::vector<std::string> overrides;  // "a.b=v", over the file
  std::string out;                     // run folder; "": runs/<name>-<seed>
  std::string data_folder;             // where data sets are looked for; "": COTERIE_DATA
  unsigned threads = 0;                // 0: all cores
  bool resume = false;                 // go on where a killed run stopped
  bool force = false;                  // replace a run that is already there
  bool renew = false;                  // with resume: replace a run of another config instead of refusing
  bool quiet = false;
  // What the processes that a launcher started share: the clients of each run (fleet mpi); the runs of a
  // sweep, each of which is one process's; or nothing, where only this one makes the run.
  enum class Share { clients, runs, nothing };
  Share share = Share::clients;
  std::function<void(const RunOutcome&)> finished;  // called as each run ends
  Elsewhere* elsewhere =
      nullptr;  // clients that join over a network, rather than those of [data] and [clients]
};

// Runs a config, or every run of its sweep, and writes the run folders. Mistakes in the config are a
// BadConfig before anything is loaded or written; a run that fails is an Error.
std::vector<RunOutcome> run_experiment(const RunRequest& request);

// Asks a run under way to stop after its round, with a checkpoint. Safe in a signal handler.
void request_stop();
bool stop_requested();

}  // namespace coterie
