// What a round of HCFL+ costs beside one of FedEM, with K = 3 models 784-200-10: bytes and products of
// matrices as counted, and as arithmetic has them; seconds on all threads.
//
//   FedEM    sends K models both ways; E-step and an epoch: K (3 L - B + 4 H)
//   HCFL+    one extractor and K heads; up also prototypes by class and overall; 4 L - B + 4 K H
//
// where L and H are products of all rows with the first and the last layer: forward for the E-step, forward
// and backward for training (the last layer's slopes are a product more), forward for prototypes. B is the
// forward product of the first batch, which is known from the E-step.
#include <fmt/format.h>

#include <string>

#include "base/threads.h"
#include "limits.h"
#include "math/gemm.h"
#include "run/session.h"

namespace coterie {
namespace {

constexpr double kClients = 100, kSamples = 450, kInputs = 784, kHidden = 200, kClasses = 10, kBatch = 128;

struct Cost {
  double down = 0, up = 0, flops = 0, seconds = 0, clusters = 0;
};

Cost measure(const std::string& algorithm, unsigned threads) {
  Problems problems;
  const std::string text =
      "seed = 2\n[data]\nsource = 'blobs'\nclusters = 3\ndimension = 784\nclasses = 10\n[clients]\n"
      "count = 100\nsamples = 450\nparts = {train = 1.0, test = 0.0}\n[model]\nkind = 'mlp'\nhidden = "
      "[200]\n[local]\n"
      "solver = 'sgd'\nbatch = 128\nepochs = 1\nrate = 0.01\nmomentum = 0.9\n[clusters]\ncount = 3\ninit = "
      "'random'\n"
      "[algorithm]\nkind = '" +
      algorithm + "'\n" +
      (algorithm == "hcfl-plus" ? "[algorithm.hcfl-plus]\nbackbone = 'fedem'\nrho = 2\n" : "");
  Config config = read_config(parse_toml(text, algorithm), algorithm, problems);
  problems.raise_if_any();
  Session session(config, "", threads, "");
  session.start();
  session.round(1);  // fills the cache of client data
  const auto clusters = static_cast<double>(session.algorithm().offer().models.size());
  const Traffic before = session.fleet().traffic();
  const std::uint64_t flops = product_flops();
  const double begun = now();
  session.round(2);
  const Traffic after = session.fleet().traffic();
  return {static_cast<double>(after.down - before.down), static_cast<double>(after.up - before.up),
          static_cast<double>(product_flops() - flops), now() - begun, clusters};
}

// HCFL+ may have left a cluster that nobody wants.
Cost expected(bool shared, double clusters) {
  const double layer = 2 * kSamples * kInputs * kHidden, head = 2 * kSamples * kHidden * kClasses;
  const double known = 2 * kBatch * kInputs * kHidden;
  const double extractor = (kInputs + 1) * kHidden, heads = clusters * (kHidden + 1) * kClasses;
  const double own = 4 + 8 + 4 * clusters;  // the likeliest cluster, the loss, the weights
  const double prototypes = 4 * (kClasses + (kClasses + 1) * kHidden);
  if (!shared) {
    const double models = 4 * (clusters * extractor + heads);
    return {kClients * models, kClients * (models + own),
            kClients * clusters * (3 * layer - known + 4 * head)};
  }
  const double models = 4 * (extractor + heads);
  return {kClients * models, kClients * (models + own + prototypes),
          kClients * (4 * layer - known + clusters * 4 * head)};
}

}  // namespace
}  // namespace coterie

int main() {
  using namespace coterie;
  fmt::print("784-200-10, 100 clients x 450, an epoch in batches of 128; round 2:\n");
  fmt::print("{:<11} {:>3} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "", "K", "MB down", "expected",
             "MB up", "expected", "GFLOP", "expected", "seconds");
  for (const char* algorithm : {"fedem", "hcfl-plus"}) {
    const Cost counted = measure(algorithm, 1);
    const Cost want = expected(std::string(algorithm) == "hcfl-plus", counted.clusters);
    const double seconds = measure(algorithm, hardware_threads()).seconds;
    fmt::print("{:<11} {:>3} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.2f}\n", algorithm,
               counted.clusters, counted.down * 1e-6, want.down * 1e-6, counted.up * 1e-6, want.up * 1e-6,
               counted.flops * 1e-9, want.flops * 1e-9, seconds);
  }
  return 0;
}
