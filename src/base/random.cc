// Philox streams and our distributions on top of them.
#include "coterie/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "base/normal_pair.h"
#include "coterie/error.h"

namespace coterie {

using random_detail::normal_pair;
using random_detail::NormalPair;
using random_detail::Philox;

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  Philox<1> block(counter, key);
  return {block.x0[0], block.x1[0], block.x2[0], block.x3[0]};
}

Stream::Stream(std::uint64_t seed, const Name& name)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, name.client, name.round,
               std::uint32_t{static_cast<std::uint16_t>(name.purpose)} << 16 | name.ask} {}

std::uint32_t Stream::bits32() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    check(++counter_[0] != 0, "a random stream ran out");
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t Stream::bits64() {
  std::uint64_t low = bits32();
  return low | std::uint64_t{bits32()} << 32;
}

double Stream::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

double Stream::uniform(double low, double high) { return low + (high - low) * uniform(); }

// Lemire, "Fast random integer generation in an interval", 2019: the high half of a product, with the few
// values that would make some results likelier drawn again.
std::uint64_t Stream::below(std::uint64_t bound) {
  check(bound >= 1, "below() needs a bound of at least 1");
  if (bound <= std::numeric_limits<std::uint32_t>::max()) {
    auto narrow = static_cast<std::uint32_t>(bound);
    std::uint64_t product = std::uint64_t{bits32()} * narrow;
    if (static_cast<std::uint32_t>(product) < narrow) {
      std::uint32_t biased = -narrow % narrow;
      while (static_cast<std::uint32_t>(product) < biased) product = std::uint64_t{bits32()} * narrow;
    }
    return product >> 32;
  }
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{bits64()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    std::uint64_t biased = -bound % bound;
    while (static_cast<std::uint64_t>(product) < biased) product = Wide{bits64()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool Stream::bernoulli(double probability) { return uniform() < probability; }

// A pair of normals takes a whole block of its own; what other draws left of the last block is dropped. So
// long runs of normals are made block by block, whatever came before.
double Stream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  used_ = 4;
  std::uint32_t x0 = bits32(), x1 = bits32(), x2 = bits32(), x3 = bits32();
  NormalPair pair = normal_pair(x0, x1, x2, x3);
  spare_normal_ = pair.second;
  has_spare_ = true;
  return pair.first;
}

void Stream::normals(std::span<double> out) {
  constexpr std::size_t kLanes = 16;
  std::size_t done = 0;
  if (has_spare_ && !out.empty()) out[done++] = normal();
  while (out.size() - done >= 2 * kLanes) {
    Philox<kLanes> blocks(counter_, key_);
    check(counter_[0] + kLanes <= std::numeric_limits<std::uint32_t>::max(), "a random stream ran out");
    counter_[0] += kLanes;
    used_ = 4;
    std::array<double, kLanes> first, second;
    for (std::size_t i = 0; i < kLanes; ++i) {
      NormalPair pair = normal_pair(blocks.x0[i], blocks.x1[i], blocks.x2[i], blocks.x3[i]);
      first[i] = pair.first;
      second[i] = pair.second;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      out[done++] = first[i];
      out[done++] = second[i];
    }
  }
  while (done < out.size()) out[done++] = normal();
}

double Stream::gamma(double shape) {
  check(shape > 0 && std::isfinite(shape), "gamma() needs a finite shape above 0");
  if (shape < 1) {
    double boosted = gamma(shape + 1);
    return boosted * std::pow(1 - uniform(), 1 / shape);
  }
  double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    double x = normal();
    double root = 1 + c * x;
    if (root <= 0) continue;
    double v = root * root * root;
    if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Works with logarithms of gammas: those of small shapes are far below the smallest double.
std::vector<double> Stream::dirichlet(std::span<const double> shapes) {
  check(!shapes.empty(), "dirichlet() needs at least one shape");
  std::vector<double> result;
  result.reserve(shapes.size());
  for (double shape : shapes) {
    double log_gamma = shape < 1 ? std::log(gamma(shape + 1)) : std::log(gamma(shape));
    if (shape < 1) log_gamma += std::log(1 - uniform()) / shape;
    result.push_back(log_gamma);
  }
  double largest = *std::max_element(result.begin(), result.end());
  if (!std::isfinite(largest)) {
    // Shapes so small that even the logarithms overflow: all the weight is on one entry, as in the limit.
    std::vector<double> weights(shapes.begin(), shapes.end());
    for (double& weight : weights) weight *= 0x1p900;  // away from where doubles lose their digits
    std::size_t chosen = index(weights);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = i == chosen ? 1 : 0;
    return result;
  }
  double sum = 0;
  for (double& value : result) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (double& value : result) value /= sum;
  return result;
}

std::size_t Stream::index(std::span<const double> weights) {
  double total = 0;
  for (double weight : weights) {
    check(weight >= 0, "index() needs non-negative weights");
    total += weight;
  }
  check(total > 0 && std::isfinite(total), "index() needs a finite positive total weight");
  double rest = uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    if (rest < weights[i]) return i;
    rest -= weights[i];
    last = i;
  }
  return last;  // rounding left a crumb
}

std::vector<std::uint32_t> Stream::permutation(std::size_t count) {
  std::vector<std::uint32_t> items(count);
  std::iota(items.begin(), items.end(), 0u);
  shuffle(std::span(items));
  return items;
}

// Floyd's method: one draw for each chosen number. What is chosen is marked in a bit map where that is small
// beside the result, in a hash set otherwise.
std::vector<std::uint32_t> Stream::sample(std::size_t count, std::size_t size) {
  check(size <= count, "sample() cannot choose more numbers than there are");
  check(count <= std::size_t{1} << 32, "sample() is limited to 2^32 numbers");
  std::vector<std::uint32_t> chosen;
  chosen.reserve(size);
  auto choose = [&](auto&& mark) {
    for (std::size_t top = count - size; top < count; ++top) {
      auto number = static_cast<std::uint32_t>(below(top + 1));
      if (!mark(number)) {
        number = static_cast<std::uint32_t>(top);
        mark(number);
      }
      chosen.push_back(number);
    }
  };
  if (count / 32 <= size) {
    std::vector<bool> marked(count);
    choose([&](std::uint32_t number) {
      if (marked[number]) return false;
      marked[number] = true;
      return true;
    });
  } else {
    std::unordered_set<std::uint32_t> marked;
    marked.reserve(size);
    choose([&](std::uint32_t number) { return marked.insert(number).second; });
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace coterie
