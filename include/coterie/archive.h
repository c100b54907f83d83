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
#include <functional>
#include <memory>
#include <mutex>
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

// Makes room without filling it with zeros first.
template <class T>
struct Unfilled : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unfilled<U>;
  };
  void construct(T* place) { ::new (static_cast<void*>(place)) T; }
  template <class... Args>
  void construct(T* place, Args&&... args) {
    ::new (static_cast<void*>(place)) T(std::forward<Args>(args)...);
  }
};
template <class Real>
using Room = std::vector<Real, Unfilled<Real>>;

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

// A vector that is computed piece by piece when it is read, so that large ones need never be whole.
template <class Real>
struct Late {
  std::size_t size = 0;
  std::size_t step = 1;  // pieces begin at multiples of this
  double bound = 0;      // no absolute value is larger; NaN: not known
  // Writes the values begin .. begin + out.size() - 1: the same bits whatever the pieces.
  std::function<void(std::size_t begin, std::span<Real> out)> write;
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
  void settle() const;  // late no longer
  mutable std::variant<Room<double>, Room<float>, Late<double>, Late<float>> values_;
  mutable std::optional<double> largest_;
};

// What an encoding takes: payload is content, overhead is lengths, tags and checksums.
struct Size {
  std::uint64_t payload = 0;
  std::uint64_t overhead = 0;

  Size& operator+=(const Size& more) {
    payload += more.payload;
    overhead += more.overhead;
    return *this;
  }
};

// Looks at the vectors and votes of a struct, and may change them; figures are not shown. A list without
// entries, or an optional field that is absent, shows an empty entry.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void vector(Numbers& values) = 0;
  virtual void vote(std::uint32_t& cluster) = 0;
};

class Archive {
 public:
  static Archive writer(Precision precision, const Size& expected = {}) {
    Archive a(Mode::write, precision, {});
    a.out_.reserve(expected.payload + expected.overhead);
    return a;
  }
  static Archive reader(std::span<const std::byte> bytes, Precision precision) {
    return Archive(Mode::read, precision, bytes);
  }
  // Counts without writing.
  static Archive sizer(Precision precision) { return Archive(Mode::size, precision, {}); }

  // Rounds vectors in place to what would arrive at the other end, and counts the values that are not finite.
  static Archive rounder(Precision precision) { return Archive(Mode::round, precision, {}); }

  // Shows every vector and vote to a visitor, in the order of the fields.
  static Archive show(FieldVisitor& visitor) {
    Archive a(Mode::show, Precision::f64, {});
    a.visitor_ = &visitor;
    return a;
  }

  bool reading() const { return mode_ == Mode::read; }
  Precision precision() const { return precision_; }

  template <class... Fields>
  void operator()(Fields&... values) {
    (field(values), ...);
  }

  // A cluster that a client names as its own; travels like any number.
  void vote(std::uint32_t& cluster) {
    if (mode_ == Mode::show && !hidden_) visitor_->vote(cluster);
    field(cluster);
  }

  // What a client tells about itself rather than what it has learnt, such as weights or losses: travels like
  // any field, but no visitor sees it.
  template <class... Fields>
  void figures(Fields&... values) {
    const bool before = std::exchange(hidden_, true);
    (field(values), ...);
    hidden_ = before;
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
  enum class Mode { write, read, size, round, show };
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
    if (!present && mode_ == Mode::show) show_empty<T>();
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
      if (count == 0 && mode_ == Mode::show) show_empty<T>();
    }
  }
  template <class T>
  void show_empty() {
    T empty{};
    field(empty);
  }

  Mode mode_;
  Precision precision_;
  bool framing_ = false;
  bool hidden_ = false;  // from visitors
  std::span<const std::byte> in_;
  Bytes out_;
  Size size_;
  std::size_t not_finite_ = 0;
  FieldVisitor* visitor_ = nullptr;
};

template <class T>
Bytes encode(T& value, Precision precision) {
  Archive size = Archive::sizer(precision);
  size(value);
  Archive a = Archive::writer(precision, size.size());
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
