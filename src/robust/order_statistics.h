// Medians and trimmed means of numbers that have weights, and of points, one coordinate at a time.
//
// All weights are above 0. Results lie between the least and the largest number, to the bit.
#pragma once

#include <span>
#include <vector>

#include "coterie/data.h"
#include "math/points.h"

namespace coterie {

struct Weighted {
  double value = 0;
  double weight = 1;
};

// Half of the weight is at or below it and half at or above; in the middle of two numbers where both would
// do. Sorts its argument.
double weighted_median(std::span<Weighted> numbers);

// The mean of what is left when a share `trim` of the weight, below 1/2, is cut off at either end; a number
// at the edge loses a part of its weight. Sorts its argument.
double trimmed_mean(std::span<Weighted> numbers, double trim);

// A weight for each point.
Vec coordinate_median(const Points& points, std::span<const double> weights);
Vec coordinate_trimmed_mean(const Points& points, std::span<const double> weights, double trim);

}  // namespace coterie
