// Rounds a second of IFCA for linear, softmax and MLP models, and the useful arithmetic as a fraction of what
// sgemm (OpenBLAS, the reference, on all threads at once) reaches on this machine in the same run.
//
// Useful means: what the algorithm's definition asks for. K forward passes over a client's samples to choose,
// then forward and backward passes to train; nothing is counted for data movement, folding or evaluation.
//
// With one number a sample to compute, reading the samples is the limit: rounds of the linear problem of the
// IFCA paper are measured in turn with plain reads of as many bytes: what neighbours leave of a machine
// changes by the minute.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "limits.h"
#include "run/session.h"

namespace coterie {
namespace {

struct Case {
  const char* name;
  const char* what;
  const char* config;
};

constexpr Case kCases[] = {
    {"linear", "d=1000, 100 clients x 100, 1 step",
     "[data]\nsource = 'mixed-linear'\nclusters = 4\ndimension = 1000\n[clients]\ncount = 100\nsamples = "
     "100\nparts = {train = "
     "1.0, test = 0.0}\n[model]\nkind = 'linear'\nintercept = false\n[local]\nsolver = 'gd'\nrate = "
     "0.01\nsteps = 1\n"},
    {"softmax", "784-10, 100 clients x 200, batch 20",
     "[data]\nsource = 'blobs'\nclusters = 4\ndimension = 784\nclasses = 10\n[clients]\ncount = 100\nsamples "
     "= 200\nparts = {train "
     "= 1.0, test = 0.0}\n[model]\nkind = 'softmax'\n[local]\nsolver = 'sgd'\nrate = 0.01\nbatch = "
     "20\nepochs = 2\n"},
    {"mlp", "784-200-10, 100 clients x 200, batch 50",
     "[data]\nsource = 'blobs'\nclusters = 4\ndimension = 784\nclasses = 10\n[clients]\ncount = 100\nsamples "
     "= 200\nparts = {train "
     "= 1.0, test = 0.0}\n[model]\nkind = 'mlp'\nhidden = [200]\n[local]\nsolver = 'sgd'\nrate = 0.01\nbatch "
     "= 50\nepochs = 2\n"},
};

// The paper's linear problem at its largest common size, with gradient averaging.
constexpr Case kLinear = {
    "linear", "(m, n, d) = (400, 100, 1000), gradients",
    "[data]\nsource = 'mixed-linear'\nclusters = 4\ndimension = 1000\n[clients]\ncount = "
    "400\nsamples = 100\nparts = {train = 1.0, test = 0.0}\n[model]\nkind = 'linear'\nintercept = false\n"
    "factor = 1.0\n[algorithm.ifca]\naverage = 'gradients'\n[local]\nsolver = 'gd'\nrate "
    "= 0.5\nsteps = 1\n"};

struct Measured {
  double rounds_per_second = 0;
  double flops = 0;  // a second
};

// A session whose first round is done: the cache of client data is full.
std::unique_ptr<Session> begin(const Case& one, unsigned threads, Config& config) {
  Problems problems;
  std::string text =
      std::string(one.config) + "[clusters]\ncount = 4\ninit = 'random'\n[algorithm]\nkind = 'ifca'\n";
  config = read_config(parse_toml(text, one.name), one.name, problems);
  problems.raise_if_any();
  auto session = std::make_unique<Session>(config, "", threads, "");
  session->start();
  session->round(1);
  return session;
}

Measured measure_rounds(const Case& one, unsigned threads, double seconds) {
  constexpr double kClusters = 4;
  Config config;
  const auto begun_session = begin(one, threads, config);
  Session& session = *begun_session;
  double useful = 0;
  for (std::size_t i = 0; i < session.federation().training(); ++i) {
    double n = session.federation().info(static_cast<ClientId>(i)).train;
    useful += n * kClusters * config.model->forward_flops();
    useful += n * config.solver->passes(static_cast<std::size_t>(n)) * config.model->gradient_flops();
  }
  double begun = now();
  std::uint32_t rounds = 0;
  while (rounds < 3 || now() - begun < seconds) session.round(2 + rounds++);
  double took = now() - begun;
  return {rounds / took, useful * rounds / took};
}

double middle(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void print_against_read(unsigned threads) {
  constexpr std::uint32_t kTurns = 12, kEach = 10;
  constexpr double kBytes = 400.0 * 100 * 1000 * sizeof(float);
  Config config;
  const auto session = begin(kLinear, threads, config);
  PlainRead read(static_cast<std::size_t>(kBytes), threads);
  std::vector<double> rounds, reads;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    for (std::uint32_t i = 0; i < kEach; ++i) {
      const double begun = now();
      session->round(2 + turn * kEach + i);
      rounds.push_back(now() - begun);
    }
    for (std::uint32_t i = 0; i < kEach; ++i) reads.push_back(read.seconds() * kBytes / read.bytes());
  }
  const double round = middle(rounds), plain = middle(reads);
  fmt::print("{:<9}  {:<40}  {:>9}  {:>9}  {:>8}\n", "IFCA, K=4", "", "ms/round", "ms/read", "of read");
  fmt::print("{:<9}  {:<40}  {:>9.2f}  {:>9.2f}  {:>7.0f}%   (medians of {})\n", kLinear.name, kLinear.what,
             1e3 * round, 1e3 * plain, 100 * plain / round, kTurns * kEach);
}

}  // namespace
}  // namespace coterie

// --limits prints the machine's limits alone, as a line of JSON; --read the linear problem alone.
int main(int count, char** arguments) {
  using namespace coterie;
  const std::string_view only = count > 1 ? arguments[1] : "";
  unsigned threads = hardware_threads();
  if (only == "--read") {
    print_against_read(threads);
    return 0;
  }
  double peak = sgemm_peak(threads);
  if (only == "--limits") {
    fmt::print("{{\"threads\":{},\"sgemm_flops\":{:.4g}}}\n", threads, peak);
    return 0;
  }
  fmt::print("on {} threads: sgemm {:.1f} GFLOP/s\n\n", threads, peak * 1e-9);
  fmt::print("{:<9}  {:<40}  {:>9}  {:>9}  {:>8}\n", "IFCA, K=4", "", "rounds/s", "GFLOP/s", "of sgemm");
  for (const Case& one : kCases) {
    Measured m = measure_rounds(one, threads, 2.0);
    fmt::print("{:<9}  {:<40}  {:>9.1f}  {:>9.1f}  {:>7.0f}%\n", one.name, one.what, m.rounds_per_second,
               m.flops * 1e-9, 100 * m.flops / peak);
  }
  fmt::print("\n");
  print_against_read(threads);
  return 0;
}
