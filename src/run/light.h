// Runs without a folder, of which only the figures of the last round remain.
//
// Choose them for searches over hundreds of small runs: nothing is logged or saved, only the end is
// evaluated, and runs on the same data in a row load it once.
#pragma once

#include <memory>
#include <string>

#include "run/session.h"

namespace coterie {

struct LightRun {
  Record metrics;
  std::string error;     // why it ended early (it diverged, say); its metrics are then empty
  bool stopped = false;  // by request_stop(); nothing else counts then
};

class LightRunner {
 public:
  LightRunner(std::string data_folder, unsigned threads)
      : data_folder_(std::move(data_folder)), threads_(threads) {}

  // A config that does not fit its data is a BadConfig; what goes wrong later is told in the result.
  LightRun run(const Config& config);

 private:
  std::string data_folder_;
  unsigned threads_;
  std::string data_;  // what `federation_` was built from
  std::shared_ptr<const Federation> federation_;
};

}  // namespace coterie
