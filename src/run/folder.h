// A run folder on disk: its files, and logs that can be cut back to a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "base/log_file.h"
#include "coterie/fleet.h"
#include "coterie/metric.h"

namespace coterie {

// The mark of a run folder, which its lock is held on (folder_lock.h).
inline constexpr const char* kRunMark = ".coterie-run";

class RunFolder {
 public:
  // `keeps`: whether anything is written. Of several ranks only the first writes; the others do the same
  // without a file.
  explicit RunFolder(std::string path, bool keeps = true) : path_(std::move(path)), keeps_(keeps) {}

  const std::string& path() const { return path_; }
  bool keeps() const { return keeps_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const;
  // Whether a run wrote here: it has the mark that a run leaves before anything else, or a config and logs.
  bool holds_run() const;
  bool finished() const;
  // Whether a new run may be put here: there is nothing, or nothing in it.
  bool vacant() const;
  // Removes the files that a run writes, by name, and folders that are empty then. Whatever else is there
  // stays.
  void clear();
  // clear(), and the folder itself when nothing else is in it.
  void remove();
  void create();
  // The models that a run wrote here, as schema.json lists them, and summary.json where that was damaged:
  // "models/cluster-0.safetensors" ...
  std::vector<std::string> models() const;
  // A run that goes on may end with fewer.
  void remove_models() const;
  // Makes a finished run one that stopped early, under another config. For whoever holds the lock.
  void reopen(const std::string& config) const;

  // --- logs: one line of JSON each -------------------------------------------------------------------------
  // An Error when rounds.jsonl and events.jsonl do not begin with what these marks say.
  void check_logs(const LogFile::Mark& rounds, const LogFile::Mark& events) const;
  // Checks them, and opens them cut back to the marks.
  void open_logs(const LogFile::Mark& rounds, const LogFile::Mark& events);
  void log_round(std::uint32_t round, const std::string& phase, const Record& record);
  void log_event(const Event& event);
  // times.csv: the seconds that a round's training took. Opened with the rows of rounds up to `kept` left in
  // it.
  void open_times(std::uint32_t kept);
  void log_time(std::uint32_t round, double seconds);
  // Handed to the system, so that other programs see them.
  void flush_logs();
  // On the disk, and what a checkpoint says of rounds.jsonl and events.jsonl.
  std::pair<LogFile::Mark, LogFile::Mark> sync_logs();

 private:
  std::string path_;
  bool keeps_;
  LogFile rounds_;
  LogFile events_;
  LogFile times_;
};

}  // namespace coterie
