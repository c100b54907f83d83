// The configs of a fit: what the arguments of `coterie fit TABLE` stand for, and the plain run that is left
// without [fit].
#pragma once

#include <cstdint>
#include <string>

#include "base/value.h"
#include "fit/options.h"

namespace coterie {

struct FitArguments {
  std::string table, client, target, truth, group, time, drop, methods, clusters, model, describe;
  double minutes = 0;
  std::int64_t seed = 1;
};
Table fit_config(const FitArguments& arguments);

// Without [fit], in double precision and with a seed. Columns that describe clients are no features.
Table plain_config(Table config, const FitOptions& options);

}  // namespace coterie
