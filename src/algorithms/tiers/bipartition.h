// Dividing a cluster in two by the distances between its members, and the rule that says when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

// Two parts by complete linkage: the last two groups of an agglomeration. CFL asks for the parts whose most
// alike pair across is least alike; that costs O(n^3), and like its authors' code we take complete linkage,
// which finds the same parts where clusters are clear.
struct Bipartition {
  std::vector<std::uint32_t> parts;  // 0 or 1 for each member; the first is in part 0
  double within = 0;                 // largest distance inside a part
  double across = 0;                 // smallest distance between the parts
};

// `distances` is count x count and symmetric, with count >= 2. Throws Error when one is not finite.
Bipartition bipartition(std::span<const double> distances, std::size_t count);

// Rule (8) of HCFL compares these two: a cluster is to be split where largest - mean reaches rho. The mean is
// over the whole square matrix with its diagonal of zeros, as the authors' code takes it.
struct DistanceSpread {
  double largest = 0;
  double mean = 0;
  double excess() const { return largest - mean; }
};

// 0 and 0 for no members.
DistanceSpread spread(std::span<const double> distances, std::size_t count);

// The rows and columns of these members alone.
std::vector<double> submatrix(std::span<const double> matrix, std::size_t count,
                              std::span<const std::size_t> members);

}  // namespace coterie
