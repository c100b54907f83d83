#include "clustering/agglomerative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/data.h"
#include "coterie/error.h"
#include "math/components.h"
#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

void by_distance(std::vector<Join>& joins) {
  std::stable_sort(joins.begin(), joins.end(),
                   [](const Join& x, const Join& y) { return x.distance < y.distance; });
}

// The lower triangle of a symmetric matrix, without its diagonal.
class Triangle {
 public:
  explicit Triangle(std::size_t count) : values_(count * (count - 1) / 2) {}
  double& operator()(std::size_t i, std::size_t j) {
    if (i < j) std::swap(i, j);
    return values_[i * (i - 1) / 2 + j];
  }

 private:
  Vec values_;
};

// Chains of nearest neighbours: from a group to its nearest, and on, until two are each other's nearest.
// These are joined, which leaves the rest of the chain valid: a joined group is never nearer to a third than
// the nearer of its halves was.
class Chain {
 public:
  Chain(Triangle distances, std::size_t count, Linkage linkage)
      : distances_(std::move(distances)), linkage_(linkage), size_(count, 1.0), height_(count, 0.0) {
    for (std::uint32_t i = 0; i < count; ++i) alive_.push_back(i);
  }

  std::vector<Join> joins() {
    std::vector<Join> joins;
    std::vector<std::uint32_t> chain;
    while (alive_.size() > 1) {
      if (chain.empty()) chain.push_back(alive_.front());
      const std::uint32_t before = chain.size() > 1 ? chain[chain.size() - 2] : kNoGroup;
      const std::uint32_t next = nearest(chain.back(), before);
      if (next != before) {
        chain.push_back(next);
        continue;
      }
      joins.push_back(join(std::min(chain.back(), before), std::max(chain.back(), before)));
      chain.resize(chain.size() - 2);
    }
    by_distance(joins);
    return joins;
  }

 private:
  // The one before wins among equals, or chains would not end; else the first.
  std::uint32_t nearest(std::uint32_t group, std::uint32_t before) {
    std::uint32_t best = before;
    double least = before == kNoGroup ? std::numeric_limits<double>::infinity() : distances_(group, before);
    for (std::uint32_t other : alive_) {
      if (other == group) continue;
      const double distance = distances_(group, other);
      if (distance < least) {
        least = distance;
        best = other;
      }
    }
    return best;
  }

  Join join(std::uint32_t a, std::uint32_t b) {
    // Rounding of averages must not put a join before those that made its halves.
    height_[a] = std::max({distances_(a, b), height_[a], height_[b]});
    alive_.erase(std::lower_bound(alive_.begin(), alive_.end(), b));
    for (std::uint32_t other : alive_) {
      if (other == a) continue;
      double& distance = distances_(a, other);
      const double from_b = distances_(b, other);
      distance = linkage_ == Linkage::complete
                     ? std::max(distance, from_b)
                     : (size_[a] * distance + size_[b] * from_b) / (size_[a] + size_[b]);
    }
    size_[a] += size_[b];
    return {a, b, height_[a]};
  }

  Triangle distances_;
  Linkage linkage_;
  Vec size_;
  Vec height_;
  std::vector<std::uint32_t> alive_;  // the first points of the groups, rising
};

// Prim's algorithm; distance(i, j) is asked for once for each pair.
template <class Distance>
std::vector<Join> spanning_tree(std::size_t count, const Distance& distance) {
  std::vector<Join> joins;
  std::vector<std::uint32_t> outside;
  for (std::uint32_t i = 1; i < count; ++i) outside.push_back(i);
  std::vector<Join> nearest(count, {0, 0, std::numeric_limits<double>::infinity()});
  std::uint32_t latest = 0;
  while (!outside.empty()) {
    std::size_t best = 0;
    for (std::size_t n = 0; n < outside.size(); ++n) {
      const std::uint32_t i = outside[n];
      const double now = distance(std::max(i, latest), std::min(i, latest));
      if (now < nearest[i].distance) nearest[i] = {std::min(i, latest), std::max(i, latest), now};
      if (nearest[i].distance < nearest[outside[best]].distance) best = n;
    }
    latest = outside[best];
    joins.push_back(nearest[latest]);
    outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(best));
  }
  by_distance(joins);
  return joins;
}

}  // namespace

Linkage linkage_named(const std::string& name) {
  if (name == "complete") return Linkage::complete;
  if (name == "average") return Linkage::average;
  check(name == "single", "a linkage of another name");
  return Linkage::single;
}

std::vector<std::uint32_t> Dendrogram::cut_at(double distance) const {
  Components components(count);
  for (const Join& join : joins) {
    if (join.distance <= distance) components.join(join.a, join.b);
  }
  return components.labels();
}

std::vector<std::uint32_t> Dendrogram::cut_into(std::size_t groups) const {
  check(groups > 0, "a cut into no groups");
  Components components(count);
  for (std::size_t n = 0; n + groups < count; ++n) components.join(joins[n].a, joins[n].b);
  return components.labels();
}

Dendrogram agglomerate(const Points& points, Linkage linkage) {
  require_finite(points, "agglomerative clustering");
  if (linkage == Linkage::single) {
    return {points.count, spanning_tree(points.count, [&](std::size_t i, std::size_t j) {
              return std::sqrt(squared_distance(points[i], points[j]));
            })};
  }
  Triangle distances(points.count);
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    for (std::size_t j = 0; j < i; ++j) distances(i, j) = std::sqrt(row[j]);
  });
  return {points.count, Chain(std::move(distances), points.count, linkage).joins()};
}

Dendrogram agglomerate(std::span<const double> distances, std::size_t count, Linkage linkage) {
  check(count > 0 && distances.size() == count * count, "a square matrix of distances");
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::isfinite(distances[i * count + j])) continue;
      throw Error("agglomerative clustering: the distance of points " + std::to_string(j) + " and " +
                  std::to_string(i) + " is not finite; leave one of them out");
    }
  }
  if (linkage == Linkage::single) {
    return {count,
            spanning_tree(count, [&](std::size_t i, std::size_t j) { return distances[i * count + j]; })};
  }
  Triangle triangle(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) triangle(i, j) = distances[i * count + j];
  }
  return {count, Chain(std::move(triangle), count, linkage).joins()};
}

}  // namespace coterie
