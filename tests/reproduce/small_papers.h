// A folder of experiments made up for tests: tiny regressions that take milliseconds.
#pragma once

#include <string>

#include "data/temp_folder.h"

namespace coterie {

inline const char* const kSmallConfig = R"(name = "small"
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 4
noise = 0.1
test_samples = 1
[clients]
count = 6
samples = 20
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
solver = "gd"
steps = 5
rate = 0.2
[rounds]
count = 8
)";

// papers/small/<id>/experiment.toml and papers/small/small.toml.
inline void write_papers(const TempFolder& folder, const std::string& id, const std::string& experiment) {
  folder.write("papers/small/small.toml", kSmallConfig);
  folder.write("papers/small/" + id + "/experiment.toml", experiment);
}

}  // namespace coterie
