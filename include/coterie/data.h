// Vectors, samples and batches: what travels, what a client holds, and what a model sees of it.
//
// Vec is for everything at the server, Shared for what goes down to clients, Numbers for what comes up from
// them and for what they keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "coterie/detail/late.h"

namespace coterie {

using Vec = std::vector<double>;
using Bytes = std::vector<std::byte>;
using ClientId = std::uint32_t;

// How clients compute and how vectors travel. The server always computes in double.
enum class Precision : std::uint8_t { f32, f64 };

// Rounds every value to what travels at this precision.
void round_to(Precision precision, std::span<double> values);

class Archive;  // how fields travel: detail/archive.h
class Numbers;

// A vector that many clients read: immutable, shared, and rounded to the precision at which it travels.
class Shared {
 public:
  Shared() = default;
  Shared(Vec values, Precision precision);
  // The same for numbers that need not be had in double.
  static Shared of(Numbers values, Precision precision);

  explicit operator bool() const { return item_ != nullptr; }
  // Whether both are the very same item.
  bool is(const Shared& other) const { return item_ == other.item_; }
  // Something made from the numbers, once for all who read them. Every call is for the same T.
  template <class T, class Make>
  const T& derived(const Make& make) const {
    std::call_once(item_->once, [&] { item_->derived = std::make_shared<const T>(make()); });
    return *static_cast<const T*>(item_->derived.get());
  }
  std::size_t size() const {
    if (!item_) return 0;
    return item_->narrow ? item_->floats.size() : item_->values.size();
  }
  const Vec& values() const {
    const Item& item = *item_;
    if (item.narrow)
      std::call_once(item.widened, [&] { item.values.assign(item.floats.begin(), item.floats.end()); });
    return item.values;
  }
  // Whichever of the two a kernel wants: there are floats at their precision only.
  template <class Real>
  std::span<const Real> as() const {
    if constexpr (std::is_same_v<Real, float>) {
      return item_->floats;
    } else {
      return values();
    }
  }

 private:
  struct Item {
    mutable Vec values;
    Room<float> floats;
    bool narrow = false;  // there are no values but floats until somebody asks
    mutable std::once_flag widened;
    mutable std::once_flag once;
    mutable std::shared_ptr<const void> derived;
  };
  std::shared_ptr<const Item> item_;
};

// A vector at the precision at which it travels: a client's reply or state, which nobody needs in double.
class Numbers {
 public:
  Numbers() = default;
  Numbers(Room<double> values) : values_(std::move(values)) {}
  Numbers(Room<float> values) : values_(std::move(values)) {}
  Numbers(Late<double> values) : values_(std::move(values)) {}
  Numbers(Late<float> values) : values_(std::move(values)) {}
  Numbers(const Vec& values) : values_(Room<double>(values.begin(), values.end())) {}

  std::size_t size() const;
  operator Vec() const;
  // An upper bound of the absolute values that is enough to tell whether they exceed `limit`: exact when it
  // does. NaN when some value is not finite.
  double largest(double limit) const;
  // Pieces begin at multiples of this.
  std::size_t step() const;
  // The values themselves, to be changed; they become numbers of this type.
  template <class Real>
  Room<Real>& edit();
  // Calls back with a span of values begin .. begin + length - 1, of whichever type is held.
  template <class Use>
  void piece(std::size_t begin, std::size_t length, const Use& use) const {
    if (const auto* late = std::get_if<Late<float>>(&values_)) return use(written(*late, begin, length));
    if (const auto* late = std::get_if<Late<double>>(&values_)) return use(written(*late, begin, length));
    if (const auto* room = std::get_if<Room<float>>(&values_)) {
      return use(std::span<const float>(*room).subspan(begin, length));
    }
    use(std::span<const double>(std::get<Room<double>>(values_)).subspan(begin, length));
  }

 private:
  friend class Archive;
  // Valid until this thread's next piece.
  static std::span<const float> written(const Late<float>& late, std::size_t begin, std::size_t length);
  static std::span<const double> written(const Late<double>& late, std::size_t begin, std::size_t length);
  void write_whole() const;  // late no longer
  mutable std::variant<Room<double>, Room<float>, Late<double>, Late<float>> values_;
  mutable std::optional<double> largest_;
};

enum class Task : std::uint8_t { classification, regression };
constexpr Task last_of(Task) { return Task::regression; }

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

// A client's own data is cut into these parts.
enum class Part : std::uint8_t { train, validation, test };
constexpr Part last_of(Part) { return Part::test; }

// Rows of features with one target each. Features are kept in the smallest type that holds them exactly:
// images as bytes (a feature is scale * byte + offset), measured data as float or double.
struct Samples {
  Shape shape;
  std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>> features;
  double scale = 1;
  double offset = 0;
  std::vector<double> targets;  // a class index, or the value to predict
  // How much each row counts beside the other rows of its client; empty: every row counts 1.
  std::vector<double> weights = {};
  // Rows with the same number belong together and are not independent (all visits of a patient); empty: every
  // row is by itself.
  std::vector<std::uint32_t> kin = {};
  // Each row's place in the file that it was read from; empty: rows have no order.
  std::vector<std::uint32_t> places = {};

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
