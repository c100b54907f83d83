// Populations small enough to follow every row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coterie/source.h"

namespace coterie {

// Images of 2 x 2 pixels whose top left pixel is the row's number + 1 and whose other pixels are 0: where the
// number is tells the turn, and the number tells the row. Labels go round: row % classes.
inline Samples numbered_images(std::size_t rows, std::size_t classes, std::size_t first = 0) {
  Samples samples;
  samples.shape = {
      .task = Task::classification, .width = 4, .classes = classes, .height = 2, .columns = 2, .channels = 1};
  std::vector<float> pixels(rows * 4, 0.0f);
  for (std::size_t i = 0; i < rows; ++i) {
    pixels[i * 4] = static_cast<float>(first + i + 1);
    samples.targets.push_back(static_cast<double>((first + i) % classes));
  }
  samples.features = std::move(pixels);
  return samples;
}

inline std::size_t row_number(const Samples& samples, std::size_t i) {
  float pixels[4];
  samples.copy_row(i, std::span<float>(pixels));
  return static_cast<std::size_t>(pixels[0] + pixels[1] + pixels[2] + pixels[3]) - 1;
}
inline std::vector<std::size_t> row_numbers(const Samples& samples) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < samples.size(); ++i) numbers.push_back(row_number(samples, i));
  return numbers;
}
// Quarter turns counter-clockwise of row i.
inline int turns(const Samples& samples, std::size_t i) {
  float pixels[4];
  samples.copy_row(i, std::span<float>(pixels));
  constexpr int kTurns[4] = {
      0, 3, 1, 2};  // by the place of the number: top left, top right, bottom left, bottom right
  for (int p = 0; p < 4; ++p) {
    if (pixels[p] != 0) return kTurns[p];
  }
  return -1;
}

class FakePool : public Source {
 public:
  explicit FakePool(Pool pool) : pool_(std::move(pool)) {}
  void options(Options&) override {}
  std::unique_ptr<Population> open(const SourceContext&) const override {
    return std::make_unique<Opened>(pool_);
  }

 private:
  class Opened : public Population {
   public:
    explicit Opened(Pool pool) : pool_(std::move(pool)) {}
    const Shape& shape() const override { return pool_.train.shape; }
    const Pool* pool() const override { return &pool_; }

   private:
    Pool pool_;
  };
  Pool pool_;
};

// Endless samples of one normal feature; the target is slope * feature, with one slope for each group.
class FakeGenerator : public Source {
 public:
  explicit FakeGenerator(std::vector<double> slopes) : slopes_(std::move(slopes)) {}
  void options(Options&) override {}
  std::unique_ptr<Population> open(const SourceContext&) const override {
    return std::make_unique<Opened>(slopes_);
  }

 private:
  class Opened : public Population {
   public:
    explicit Opened(std::vector<double> slopes) : slopes_(std::move(slopes)) {}
    const Shape& shape() const override { return shape_; }
    std::size_t groups() const override { return slopes_.size(); }
    Samples draw(std::size_t group, std::size_t count, Stream& stream) const override {
      Samples samples;
      samples.shape = shape_;
      std::vector<double> x(count);
      stream.normals(x);
      for (double value : x) samples.targets.push_back(slopes_[group] * value);
      samples.features = std::move(x);
      return samples;
    }
    std::optional<Vec> parameters(std::size_t group) const override { return Vec{slopes_[group]}; }

   private:
    Shape shape_{.task = Task::regression, .width = 1};
    std::vector<double> slopes_;
  };
  std::vector<double> slopes_;
};

}  // namespace coterie
