// The light runs of an experiment, kept in a log: what is in it is not run again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/log_file.h"
#include "run/light.h"

namespace coterie {

class Attempts {
 public:
  // `file`: one line of JSON for each run. A last line that was cut off is dropped.
  Attempts(std::string file, LightRunner& runner);

  // The figure of a run's last round: from the log, or by running it. NaN when the run has no such figure or
  // ended with an error. Nothing when it was asked to stop. `name` goes into the log, for people.
  std::optional<double> figure(const Config& config, const std::string& figure, const std::string& name);
  // Runs made here, and those that ended early.
  std::size_t made() const { return made_; }

 private:
  std::string file_;
  LightRunner& runner_;
  std::map<std::string, std::map<std::string, double>> known_;  // identity of a run -> its figures
  LogFile log_;
  std::size_t made_ = 0;
};

}  // namespace coterie
