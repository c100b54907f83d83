// [fit]: what a contest may use. `coterie fit TABLE` makes the same sections from its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/value.h"
#include "coterie/options.h"

namespace coterie {

struct FitOptions {
  std::vector<std::string> methods;   // besides the fixed candidates
  std::string clusters = "2..6";      // numbers of groups that are tried
  std::string model = "auto";         // linear or softmax, and mlp where rows allow
  std::vector<std::string> describe;  // columns that describe clients
  double minutes = 0;                 // 0: no limit
  std::int64_t folds = 0;             // 0: by the number of rows

  void options(Options& o);
  // The numbers of groups: "2..6", "3" or "2,4".
  std::vector<std::size_t> counts() const;
};

// Reads [fit] of a config, and the config of a plain run that is left when [fit] is taken away. What the
// contest decides itself (a method, a number of clusters) is an error. `elsewhere`: clients hold the table.
FitOptions read_fit_options(const Table& config, const std::string& file, bool elsewhere, Problems& problems);

}  // namespace coterie
