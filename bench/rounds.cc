// Rounds a second of IFCA for linear, softmax and MLP models, and the useful arithmetic as a fraction of what
// sgemm (OpenBLAS, the reference, on all threads at once) reaches on this machine in the same run.
//
// Useful means: what the algorithm's definition asks for. K forward passes over a client's samples to choose,
// then forward and backward passes to train; nothing is counted for data movement, folding or evaluation.
#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/threads.h"
#include "run/session.h"

extern "C" {
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
void openblas_set_num_threads(int threads);
}

namespace coterie {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// FLOP/s of one thread each on its own 768 x 768 product, best of several tries.
double sgemm_peak(unsigned threads) {
  constexpr int kSize = 768;
  constexpr int kTimes = 20;
  openblas_set_num_threads(1);
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    double begun = now();
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t) {
      all.emplace_back([] {
        std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f), c(kSize * kSize);
        for (int i = 0; i < kTimes; ++i) {
          cblas_sgemm(101, 111, 111, kSize, kSize, kSize, 1, a.data(), kSize, b.data(), kSize, 0, c.data(),
                      kSize);
        }
      });
    }
    for (auto& thread : all) thread.join();
    double flops = 2.0 * kSize * kSize * kSize * kTimes * threads;
    best = std::max(best, flops / (now() - begun));
  }
  return best;
}

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

int main() {
  using namespace coterie;
  unsigned threads = hardware_threads();
  double peak = sgemm_peak(threads);
  fmt::print("sgemm on {} threads: {:.1f} GFLOP/s\n\n", threads, peak * 1e-9);
  fmt::print("{:<8}  {:<40}  {:>9}  {:>9}  {:>8}\n", "IFCA, K=4", "", "rounds/s", "GFLOP/s", "of sgemm");
  for (const Case& one : kCases) {
    Measured m = measure_rounds(one, threads, 2.0);
    fmt::print("{:<8}  {:<40}  {:>9.1f}  {:>9.1f}  {:>7.0f}%\n", one.name, one.what, m.rounds_per_second,
               m.flops * 1e-9, 100 * m.flops / peak);
  }
  return 0;
}
