// What this machine can do, to measure rounds against: arithmetic (sgemm of OpenBLAS) and memory (a plain
// read).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

extern "C" {
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
void openblas_set_num_threads(int threads);
}

namespace coterie {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds that `work(thread)` takes on all threads at once.
template <class Work>
double time_on_threads(unsigned threads, Work work) {
  double begun = now();
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (auto& thread : all) thread.join();
  return now() - begun;
}

// FLOP/s of one thread each on its own 768 x 768 product, best of several tries.
inline double sgemm_peak(unsigned threads) {
  constexpr int kSize = 768;
  constexpr int kTimes = 20;
  openblas_set_num_threads(1);
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    double seconds = time_on_threads(threads, [](unsigned) {
      std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f), c(kSize * kSize);
      for (int i = 0; i < kTimes; ++i) {
        cblas_sgemm(101, 111, 111, kSize, kSize, kSize, 1, a.data(), kSize, b.data(), kSize, 0, c.data(),
                    kSize);
      }
    });
    best = std::max(best, 2.0 * kSize * kSize * kSize * kTimes * threads / seconds);
  }
  return best;
}

// A plain read of memory: all threads sum words at once, each its own part.
class PlainRead {
 public:
  explicit PlainRead(std::size_t bytes, unsigned threads)
      : threads_(threads), buffer_(bytes / sizeof(std::uint64_t), 1), sums_(threads) {}

  double bytes() const { return static_cast<double>(share() * threads_ * sizeof(std::uint64_t)); }
  // Seconds of one read.
  double seconds() {
    return time_on_threads(threads_, [&](unsigned t) {
      const std::uint64_t* from = buffer_.data() + t * share();
      std::uint64_t lanes[kLanes] = {};
      for (std::size_t i = 0; i < share(); i += kLanes) {
        for (std::size_t j = 0; j < kLanes; ++j) lanes[j] += from[i + j];
      }
      sums_[t] = 0;
      for (std::uint64_t lane : lanes) sums_[t] += lane;
      // Every word is 1: a compiler that left the reading out would be found here.
      if (sums_[t] != share()) std::abort();
    });
  }

 private:
  static constexpr std::size_t kLanes = 16;  // sums side by side: the additions do not wait for each other
  std::size_t share() const { return buffer_.size() / threads_ / kLanes * kLanes; }

  unsigned threads_;
  std::vector<std::uint64_t> buffer_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace coterie
