// Random streams that need no saving: each is a pure function of (seed, purpose, round, ask, client).
//
// The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a
// block cipher over a counter. The seed is its key; purpose, round, ask and client are the upper part of the
// counter, so two streams with different names never overlap. Distributions are ours, so that bits do not
// depend on a standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coterie {

// One value for each use, so that adding draws in one place never moves another's.
enum class Purpose : std::uint16_t {
  source,    // synthetic data: parameters of the true clusters
  samples,   // synthetic data: a client's samples
  groups,    // which client gets which variant of a shift
  deal,      // partition of a pool over clients
  parts,     // a client's train / validation / test split
  shift,     // randomness inside a shift (noise)
  unseen,    // data of unseen clients
  features,  // random Fourier features of a model
  init,      // initial models
  cohort,    // who is asked in a round
  work,      // client halves: batch order and the like
  restart,   // the same, in the trials of a start
  evaluate,  // evaluation asks
  server,    // the server's own choices inside an algorithm
  fault,     // fault injection
  test,
  attack,    // who lies, and random lies
  evidence,  // tests for groups: starts and resamples
  fit,       // folds, and what is drawn to judge candidates
};
constexpr Purpose last_of(Purpose) { return Purpose::fit; }

// Philox4x32 with ten rounds, as published.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Stream {
 public:
  // A stream's name. Fields that do not apply stay zero.
  struct Name {
    Purpose purpose = Purpose::test;
    std::uint32_t round = 0;
    std::uint16_t ask = 0;
    std::uint32_t client = 0;
  };
  Stream(std::uint64_t seed, const Name& name);

  std::uint32_t bits32();
  std::uint64_t bits64();
  // In [0, 1), 53 bits.
  double uniform();
  double uniform(double low, double high);
  // In [0, bound), without bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  bool bernoulli(double probability);
  // Mean 0, deviation 1.
  double normal();
  void normals(std::span<double> out);
  // Shape > 0, scale 1 (Marsaglia and Tsang; shapes below 1 by boosting).
  double gamma(double shape);
  // Sums to 1 whatever the shapes, also when every gamma underflows.
  std::vector<double> dirichlet(std::span<const double> shapes);
  // An index drawn with these non-negative weights, not all zero.
  std::size_t index(std::span<const double> weights);
  // 0 .. count-1 in random order.
  std::vector<std::uint32_t> permutation(std::size_t count);
  // `size` different numbers below `count`, ascending; O(size) memory.
  std::vector<std::uint32_t> sample(std::size_t count, std::size_t size);
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace coterie
