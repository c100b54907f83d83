// One list of fields gives a struct its encoding, its bounds checks and its size:
//
//   struct Reply {
//     std::uint32_t choice = 0;
//     Vec model;
//     void fields(Archive& a) { a(choice, model); }
//   };
//
// The same list serves messages (vectors at the run's precision) and checkpoints (always double).
// Little-endian. Reading never goes past the end and never allocates more than the bytes at hand could fill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "coterie/error.h"

namespace coterie {

using Vec = std::vector<double>;
using Bytes = std::vector<std::byte>;
using ClientId = std::uint32_t;

// How clients compute and how vectors travel. The server always computes in double.
enum class Precision : std::uint8_t { f32, f64 };

// Rounds every value to what travels at this precision.
void round_to(Precision precision, std::span<double> values);

// A vector that many clients read: immutable, shared, and rounded to the precision at which it travels.
class Shared {
 public:
  Shared() = default;
  Shared(Vec values, Precision precision);

  explicit operator bool() const { return item_ != nullptr; }
  // Whether both are the very same item.
  bool is(const Shared& other) const { return item_ == other.item_; }
  std::size_t size() const { return item_ ? item_->values.size() : 0; }
  const Vec& values() const { return item_->values; }
  // The same numbers as floats; empty at double precision.
  const std::vector<float>& floats() const { return item_->floats; }
  // Whichever of the two a kernel wants.
  template <class Real>
  std::span<const Real> as() const {
    if constexpr (std::is_same_v<Real, float>) {
      return floats();
    } else {
      return values();
    }
  }

 private:
  struct Item {
    Vec values;
    std::vector<float> floats;
  };
  std::shared_ptr<const Item> item_;
};

// A vector at the precision at which it travels: a client's reply, which nobody needs in double.
class Numbers {
 public:
  Numbers() = default;
  Numbers(Vec values) : values_(std::move(values)) {}
  Numbers(std::vector<float> values) : values_(std::move(values)) {}

  std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, values_);
  }
  operator Vec() const {
    return std::visit([](const auto& values) { return Vec(values.begin(), values.end()); }, values_);
  }
  // Calls back with a span of whichever type is held.
  template <class Use>
  auto visit(const Use& use) const {
    return std::visit([&](const auto& values) { return use(std::span(values)); }, values_);
  }

 private:
  friend class Archive;
  std::variant<Vec, std::vector<float>> values_;
};

// What an encoding takes: payload is content, overhead is lengths, tags and checksums.
struct Size {
  std::uint64_t payload = 0;
  std::uint64_t overhead = 0;
};

class Archive {
 public:
  static Archive writer(Precision precision) { return Archive(Mode::write, precision, {}); }
  static Archive reader(std::span<const std::byte> bytes, Precision precision) {
    return Archive(Mode::read, precision, bytes);
  }
  // Counts without writing.
  static Archive sizer(Precision precision) { return Archive(Mode::size, precision, {}); }

  // Rounds vectors in place to what would arrive at the other end, and counts the values that are not finite.
  static Archive rounder(Precision precision) { return Archive(Mode::round, precision, {}); }

  bool reading() const { return mode_ == Mode::read; }
  Precision precision() const { return precision_; }

  template <class... Fields>
  void operator()(Fields&... values) {
    (field(values), ...);
  }

  Bytes take() { return std::move(out_); }
  const Size& size() const { return size_; }
  std::size_t not_finite() const { return not_finite_; }
  // Reading: all bytes were used; throws MalformedMessage otherwise.
  void expect_end() const;

  // Counts what follows as framing rather than content.
  template <class F>
  void overhead(F&& inside) {
    bool before = std::exchange(framing_, true);
    inside();
    framing_ = before;
  }

 private:
  enum class Mode { write, read, size, round };
  Archive(Mode mode, Precision precision, std::span<const std::byte> in)
      : mode_(mode), precision_(precision), in_(in) {}

  void raw(void* data, std::size_t bytes);
  // A length prefix; when reading, refuses what `bytes_each` says cannot fit in the rest.
  std::size_t length(std::size_t count, std::size_t bytes_each);

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void field(T& value) {
    if constexpr (std::is_floating_point_v<T>) not_finite_ += value - value == 0 ? 0 : 1;
    raw(&value, sizeof value);
  }
  void field(bool& value);
  void field(std::string& value);
  void field(Vec& values);
  void field(Shared& value);
  void field(Numbers& value);
  template <class T>
  requires requires(T& t, Archive& a) { t.fields(a); }
  void field(T& value) { value.fields(*this); }
  template <class T>
  void field(std::optional<T>& value) {
    bool present = value.has_value();
    overhead([&] { field(present); });
    if (reading()) value = present ? std::optional<T>(T{}) : std::nullopt;
    if (present) field(*value);
  }
  template <class A, class B>
  void field(std::pair<A, B>& value) {
    field(value.first);
    field(value.second);
  }
  template <class T>
  void field(std::vector<T>& values) {
    constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::byte>;
    std::size_t count = length(values.size(), kPlain ? sizeof(T) : 1);
    if (reading()) values.clear();
    if constexpr (kPlain) {
      if (reading()) values.resize(count);
      raw(values.data(), count * sizeof(T));
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        if (reading()) values.emplace_back();
        field(values[i]);
      }
    }
  }

  Mode mode_;
  Precision precision_;
  bool framing_ = false;
  std::span<const std::byte> in_;
  Bytes out_;
  Size size_;
  std::size_t not_finite_ = 0;
};

template <class T>
Bytes encode(T& value, Precision precision) {
  Archive a = Archive::writer(precision);
  a(value);
  return a.take();
}

// Throws MalformedMessage unless the bytes are exactly one T.
template <class T>
T decode(std::span<const std::byte> bytes, Precision precision) {
  Archive a = Archive::reader(bytes, precision);
  T value{};
  a(value);
  a.expect_end();
  return value;
}

template <class T>
Size encoded_size(T& value, Precision precision) {
  Archive a = Archive::sizer(precision);
  a(value);
  return a.size();
}

}  // namespace coterie
