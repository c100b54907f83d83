// Sums and updates over vectors. Every sum has one fixed order (so many lanes, then a tree), whatever the
// address, so that equal inputs give equal bits.
#pragma once

#include <cstddef>
#include <span>

namespace coterie {

// In the precision of its operands; 32 lanes of floats, 16 of doubles.
float dot(std::span<const float> a, std::span<const float> b);
double dot(std::span<const double> a, std::span<const double> b);

// Summed in double.
double sum(std::span<const float> x);
double sum(std::span<const double> x);
double squared_norm(std::span<const float> x);
double squared_norm(std::span<const double> x);
double squared_distance(std::span<const float> a, std::span<const float> b);
double squared_distance(std::span<const double> a, std::span<const double> b);

// y += factor * x, with one rounding.
void add_scaled(float factor, std::span<const float> x, std::span<float> y);
void add_scaled(double factor, std::span<const double> x, std::span<double> y);
// x *= factor.
void scale(float factor, std::span<float> x);
void scale(double factor, std::span<double> x);

// Adds the bias to every row of x, which is as long; then negative numbers become zero, NaN stays.
void relu(std::span<const float> bias, std::span<float> x);
void relu(std::span<const double> bias, std::span<double> x);
// Where `active` is not positive, x becomes zero: the gradient of relu, given its output.
void relu_gradient(std::span<const float> active, std::span<float> x);
void relu_gradient(std::span<const double> active, std::span<double> x);

// Natural exponential and logarithm in place, as elementary.h defines them.
void exponentials(std::span<float> x);
void exponentials(std::span<double> x);
void logarithms(std::span<float> x);
void logarithms(std::span<double> x);

// The first value of a row that more than half of it has; 0 if there is none, or it is not finite.
float background_of(std::span<const float> row);
double background_of(std::span<const double> row);

// Whether no number is further from 0 than `most`; what is no number is.
bool all_within(std::span<const float> x, float most);
bool all_within(std::span<const double> x, double most);
bool all_finite(std::span<const float> x);
bool all_finite(std::span<const double> x);

}  // namespace coterie
