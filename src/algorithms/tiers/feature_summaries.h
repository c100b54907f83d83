// What a client may say of its features in a few numbers, and how far two clients are apart by them: their
// principal direction (after PACFL; Vahidian et al., 2023) and their lengths by class (after the feature-norm
// clustering of Wei and Huang, 2023). Distances are from 0 to 1. Cheaper than prototypes: one vector, or one
// number for each class.
#pragma once

#include <cstddef>
#include <span>

#include "coterie/data.h"
#include "coterie/random.h"
#include "math/gemm.h"

namespace coterie {

// The unit vector v with the largest |Z v| over the rows of features Z, by `steps` steps of power iteration
// from a random direction; zeros where Z is zero. Its sign means nothing.
Vec principal_direction(Matrix<const double> features, std::size_t steps, Stream& stream);

// 1 - |cosine|.
double direction_distance(std::span<const double> a, std::span<const double> b);

// The mean length of the features of each class; 0 for a class without samples.
Vec class_norms(Matrix<const double> features, std::span<const double> labels, std::size_t classes);

// The largest |a - b| / max(a, b) over the classes that both have; 0 where there is none.
double norm_distance(std::span<const double> a, std::span<const double> b);

}  // namespace coterie
