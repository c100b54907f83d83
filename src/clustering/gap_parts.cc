#include "clustering/gap_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "clustering/kmeans.h"
#include "coterie/error.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/singular.h"

namespace coterie {
namespace {

constexpr double kNothing = 1e-9;  // of the largest eigenvalue: rounding
constexpr double kInFew = 4;       // how many times larger a gap has to be in few dimensions

// The leading directions of the centred vectors, known by their inner products.
struct Directions {
  Vec vectors;  // n - 1 of them, orthonormal
  Vec values;   // eigenvalues of the covariance, descending, none below 0
  double together = 0;
  bool few = false;  // the vectors lie in fewer dimensions than so many could
};

Directions directions(std::span<const double> cosines, std::size_t n, std::size_t count) {
  check(n > 0 && cosines.size() == n * n, "cosines that do not fit their count");
  const auto size = static_cast<double>(n);
  Vec means(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) means[i] = sum(cosines.subspan(i * n, n)) / size;
  Directions out;
  out.together = sum(means) / size;
  Vec centred(cosines.begin(), cosines.end());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) centred[i * n + j] += out.together - means[i] - means[j];
  }
  const Matrix<const double> matrix(centred.data(), n, n);
  out.vectors = top_left_vectors(matrix, n - 1);  // all that centred vectors can have
  Vec image(n);
  const auto value = [&](std::size_t k) {
    const std::span<const double> v = std::span(out.vectors).subspan(k * n, n);
    multiply(matrix, Matrix<const double>(v.data(), n, 1), Matrix<double>(image.data(), n, 1));
    return std::max(0.0, dot(v, image) / size);
  };
  for (std::size_t k = 0; k < count; ++k) out.values.push_back(value(k));
  out.few = value(n - 2) <= kNothing * out.values[0];
  return out;
}

// Who is alone joins the nearest centre of a group of at least two.
void join_singles(const Points& points, Grouping& found, std::size_t count) {
  std::vector<std::size_t> sizes(count, 0);
  for (const std::uint32_t label : found.labels) ++sizes[label];
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    if (sizes[found.labels[i]] > 1) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < count; ++k) {
      if (sizes[k] < 2) continue;
      const double distance = squared_distance(points[i], found.centre(k, points.width));
      if (distance < nearest) {
        nearest = distance;
        found.labels[i] = k;
      }
    }
  }
}

// Numbers groups in the order of their first members.
std::vector<std::uint32_t> in_order(const std::vector<std::uint32_t>& labels) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t label : labels) {
    out.push_back(numbers.try_emplace(label, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return out;
}

Grouping group(const Directions& from, std::size_t n, std::size_t count, Stream& stream) {
  Vec points(n * (count - 1));
  for (std::size_t k = 0; k + 1 < count; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      points[i * (count - 1) + k] = from.vectors[k * n + i] * std::sqrt(from.values[k]);
    }
  }
  const Points all{points, n, count - 1};
  Grouping found = kmeans(all, count, {}, stream);
  join_singles(all, found, count);
  return found;
}

// l_{K-1} / l_K. What is below rounding of the first counts as nothing.
double gap_at(const Directions& found, std::size_t count) {
  const double noise = std::max(found.values[count - 1], 1e-12 * found.values[0]);
  return noise > 0 ? found.values[count - 2] / noise : 0;
}

// What K groups leave of the spread in their K - 1 directions, by direction.
double width_of_groups(const Directions& found, std::size_t n, std::size_t count, Stream& stream) {
  return group(found, n, count, stream).objective / static_cast<double>(count - 1);
}

// Groups in so many parts, where they pull apart enough.
void settle_parts(const Directions& found, std::size_t n, std::size_t count, Stream& stream, GapParts& out,
                  bool clear = true) {
  out.apart = 0;
  for (std::size_t k = 0; k + 1 < count; ++k) out.apart += found.values[k];
  if (!clear || out.apart < out.together || out.apart == 0) return;
  out.labels = in_order(group(found, n, count, stream).labels);
  out.count = 1 + *std::max_element(out.labels.begin(), out.labels.end());
}

}  // namespace

GapParts gap_parts(std::span<const double> cosines, std::size_t n, double least, Stream& stream) {
  GapParts out;
  out.labels.assign(n, 0);
  const std::size_t most = n / 3;  // three members for each group on average
  if (most < 2) return out;
  const Directions found = directions(cosines, n, most);
  out.together = found.together;
  std::size_t best = 1;
  for (std::size_t k = 2; k <= most; ++k) {
    double gap = gap_at(found, k);
    if (found.few && gap > out.gap) {
      const double width = std::max(width_of_groups(found, n, k, stream), kNothing * found.values[0]);
      if (width > 0) gap = std::min(gap, found.values[k - 2] / width);
    }
    if (gap <= out.gap) continue;
    out.gap = gap;
    best = k;
  }
  if (best < 2) return out;
  settle_parts(found, n, best, stream, out, out.gap >= (found.few ? kInFew * least : least));
  return out;
}

GapParts known_parts(std::span<const double> cosines, std::size_t n, std::size_t count, Stream& stream) {
  check(2 <= count && count < n, "a number of groups that there cannot be");
  const Directions found = directions(cosines, n, count);
  GapParts out;
  out.labels.assign(n, 0);
  out.gap = gap_at(found, count);
  out.together = found.together;
  settle_parts(found, n, count, stream, out);
  return out;
}

}  // namespace coterie
