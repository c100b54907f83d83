// Samples and batches: what a client holds, and what a model sees of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "coterie/archive.h"

namespace coterie {

enum class Task : std::uint8_t { classification, regression };

// The form of one sample.
struct Shape {
  Task task = Task::classification;
  std::size_t width = 0;    // features of a sample
  std::size_t classes = 0;  // 0 for regression
  // Images are stored row by row, channel by channel; 0 when samples are not images.
  std::size_t height = 0;
  std::size_t columns = 0;
  std::size_t channels = 0;

  bool is_image() const { return height > 0; }
  bool operator==(const Shape&) const = default;
};

// Rows of features with one target each. Features are kept in the smallest type that holds them exactly:
// images as bytes (a feature is scale * byte + offset), measured data as float or double.
struct Samples {
  Shape shape;
  std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>> features;
  double scale = 1;
  double offset = 0;
  std::vector<double> targets;  // a class index, or the value to predict

  std::size_t size() const { return targets.size(); }
  std::uint32_t label(std::size_t i) const { return static_cast<std::uint32_t>(targets[i]); }
  // Features of row i as numbers.
  void copy_row(std::size_t i, std::span<float> out) const;
  void copy_row(std::size_t i, std::span<double> out) const;
  // A copy of these rows, in this order, repeats allowed.
  Samples rows(std::span<const std::uint32_t> which) const;
  // Appends the rows of another that has the same shape, storage and scaling.
  void append(const Samples& more);
  // No rows, but the same shape, storage and scaling.
  Samples empty_like() const;
  // Turns byte features into float; for shifts whose result is not a byte.
  void make_float();
  // Turns double features into float.
  void narrow();
};

// Rows as a dense row-major matrix, ready for a model. Borrows; whoever made it owns the memory.
template <class Real>
struct Batch {
  std::size_t rows = 0;
  std::size_t width = 0;
  std::span<const Real> x;          // rows x width
  std::span<const double> y;        // rows
  std::span<const double> weights;  // rows, or empty: every row counts 1
  // Rows, or empty: the value that most of a row has, 0 where none has. Products leave out what equals it.
  std::span<const Real> backgrounds = {};
};

}  // namespace coterie
