// Distances of points to each other, a few hundred rows of the matrix at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

// Calls visit(i, squared distances of point i to all points) for each point, in order. By products where
// these leave nine digits, and by plain differences for points that are nearer than that. Symmetric to the
// bit, with a diagonal of zeros; the same bits whatever the address.
void for_each_distance_row(const Points& points,
                           const std::function<void(std::size_t i, std::span<const double> row)>& visit);

// Of each point to z, by plain differences.
Vec distances_to(const Points& points, std::span<const double> z);

// y += sum_i factors_i (x_i - z): a step of z towards points, zero to the bit where all of them are z. `y` is
// not z itself.
void add_differences(const Points& points, std::span<const double> factors, std::span<const double> z,
                     std::span<double> y);

// Throws Error when a coordinate is not finite, or too large to be squared; `who` begins the message.
void require_finite(const Points& points, std::string_view who);

}  // namespace coterie
