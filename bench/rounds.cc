// Rounds a second of IFCA for linear, softmax and MLP models, and the useful arithmetic as a fraction of what
// sgemm (OpenBLAS, the reference, on all threads at once) reaches on this machine in the same run.
//
// Useful means: what the algorithm's definition asks for. K forward passes over a client's samples to choose,
// then forward and backward passes to train; nothing is counted for data movement, folding or evaluation.
#include <fmt/format.h>

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
     "1.0, test = 0.0}\n[model]\nkind = 'linear'\n[local]\nsolver = 'gd'\nrate = 0.01\nsteps = 1\n"},
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

struct Measured {
  double rounds_per_second = 0;
  double flops = 0;  // a second
};

Measured measure_rounds(const Case& one, unsigned threads, double seconds) {
  constexpr double kClusters = 4;
  Problems problems;
  std::string text = std::string(one.config) + "[clusters]\ncount = 4\n[algorithm]\nkind = 'ifca'\n";
  Config config = read_config(parse_toml(text, one.name), one.name, problems);
  problems.raise_if_any();
  Session session(config, "", threads, "");
  session.start();
  session.round(1);  // fills the cache of client data
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

}  // namespace
}  // namespace coterie

// With --limits, prints the machine's limits alone, as a line of JSON.
int main(int count, char** arguments) {
  using namespace coterie;
  unsigned threads = hardware_threads();
  double peak = sgemm_peak(threads);
  double bandwidth = read_bandwidth(threads);
  if (count > 1 && std::string_view(arguments[1]) == "--limits") {
    fmt::print("{{\"threads\":{},\"sgemm_flops\":{:.4g},\"read_bytes\":{:.4g}}}\n", threads, peak, bandwidth);
    return 0;
  }
  fmt::print("on {} threads: sgemm {:.1f} GFLOP/s, plain read of memory {:.1f} GB/s\n\n", threads,
             peak * 1e-9, bandwidth * 1e-9);
  fmt::print("{:<8}  {:<40}  {:>9}  {:>9}  {:>8}\n", "IFCA, K=4", "", "rounds/s", "GFLOP/s", "of sgemm");
  for (const Case& one : kCases) {
    Measured m = measure_rounds(one, threads, 2.0);
    fmt::print("{:<8}  {:<40}  {:>9.1f}  {:>9.1f}  {:>7.0f}%\n", one.name, one.what, m.rounds_per_second,
               m.flops * 1e-9, 100 * m.flops / peak);
  }
  return 0;
}
