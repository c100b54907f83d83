// Small tables whose truth is known: clients with equal coefficients, in groups, or along a continuum.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/disk.h"
#include "coterie/random.h"
#include "fit/fit.h"
#include "support/temp_folder.h"

namespace coterie {

enum class Planted { alike, groups, continuum };

// y = b_i x + noise with three columns. Groups: two, by the parity of the client.
inline std::string planted_table(Planted truth, int clients, int rows, std::uint64_t seed) {
  Stream stream(seed, {Purpose::test, 0, 0, 0});
  std::string text = "who,x0,x1,x2,size,y\n";
  for (int i = 0; i < clients; ++i) {
    double b[3] = {1, -0.5, 0.3};
    if (truth == Planted::groups) {
      for (double& one : b) one += i % 2 == 0 ? 0.8 : -0.8;
    }
    if (truth == Planted::continuum) {
      for (double& one : b) one += 0.6 * stream.normal();
    }
    for (int j = 0; j < rows; ++j) {
      double x[3], y = stream.normal();
      for (int k = 0; k < 3; ++k) y += b[k] * (x[k] = stream.normal());
      text += fmt::format("c{:02},{:.6f},{:.6f},{:.6f},{},{:.6f}\n", i, x[0], x[1], x[2],
                          i % 2 == 0 ? "small" : "large", y);
    }
  }
  return text;
}

// A fit of such a table, in a folder of its own.
class PlantedFit {
 public:
  explicit PlantedFit(const std::string& table) { write_atomically(folder_.file("table.csv"), table); }

  FitRequest request(const std::string& out = "fit") const {
    FitArguments arguments;
    arguments.table = folder_.file("table.csv");
    arguments.client = "who";
    arguments.target = "y";
    arguments.describe = "size";
    arguments.clusters = "2..3";
    FitRequest request;
    request.config = fit_config(arguments);
    request.file = arguments.table;
    request.out = folder_.file(out);
    request.threads = 1;
    request.quiet = true;
    return request;
  }
  std::string decision(const std::string& out = "fit") const { return read_file(file(out, "decision.json")); }
  std::string file(const std::string& out, const std::string& name) const {
    return folder_.file(out) + "/" + name;
  }

 private:
  TempFolder folder_;
};

}  // namespace coterie
