// A small table with named clients in two groups, and a finished run on it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/disk.h"
#include "coterie/random.h"
#include "coterie/run.h"
#include "support/temp_folder.h"

namespace coterie {

struct TableRun {
  static constexpr int kClients = 10;
  static constexpr int kRows = 24;  // of each

  // A line of the table without the client: x0, x1, colour, label. In odd groups labels are turned round.
  static std::string line(int group, Stream& stream) {
    const double x0 = stream.normal(), x1 = stream.normal();
    const char* colour = stream.uniform() < 0.5 ? "red" : "blue";
    const bool high = x0 + 0.5 * x1 + 0.3 * stream.normal() > 0;
    return fmt::format("{:.9f},{:.9f},{},{}", x0 * 3 + 10, x1, colour,
                       high == (group % 2 == 0) ? "yes" : "no");
  }
  static std::string table(const std::string& prefix, int clients, int rows, std::uint64_t seed) {
    std::string text = "who,x0,x1,colour,y\n";
    Stream stream(seed, {Purpose::test, 0, 0, 0});
    for (int i = 0; i < clients; ++i) {
      for (int j = 0; j < rows; ++j) text += fmt::format("{}{},{}\n", prefix, i, line(i, stream));
    }
    return text;
  }
  static std::string config(const std::string& algorithm, const std::string& more = "") {
    return R"(
seed = 3
[data]
source = "csv"
file = "table.csv"
client = "who"
target = "y"
[model]
kind = "softmax"
l2 = 0.01
[clusters]
count = 2
[local]
rate = 0.3
batch = 8
[rounds]
count = 4
[algorithm]
kind = ")" +
           algorithm + "\"\n" + more;
  }

  explicit TableRun(const std::string& config_text,
                    const std::string& table_text = table("c", kClients, kRows, 7))
      : config_(config_text) {
    write_atomically(file("table.csv"), table_text);
    RunRequest request;
    request.file = "test.toml";
    request.text = config_;
    request.out = run();
    request.data_folder = folder_.path();
    request.threads = 1;
    request.quiet = true;
    run_experiment(request);
  }

  std::string run() const { return file("run"); }
  std::string data() const { return file("table.csv"); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  const std::string& folder() const { return folder_.path(); }
  const std::string& config_text() const { return config_; }
  // Puts a table beside the run's and says where.
  std::string write(const std::string& text, const std::string& name = "new.csv") const {
    write_atomically(file(name), text);
    return file(name);
  }

 private:
  TempFolder folder_;
  std::string config_;
};

}  // namespace coterie
