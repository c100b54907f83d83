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
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "coterie/data.h"
#include "coterie/error.h"

namespace coterie {

// What an encoding takes: payload is content, overhead is lengths, tags and checksums.
struct Size {
  std::uint64_t payload = 0;
  std::uint64_t overhead = 0;

  template <class A>
  void fields(A& a) {
    a(payload, overhead);
  }
  Size& operator+=(const Size& more) {
    payload += more.payload;
    overhead += more.overhead;
    return *this;
  }
};

// Looks at the vectors and votes of a struct, and may change them; what a sender tells about itself is not
// shown. A list without entries, or an optional field that is absent, shows an empty entry.
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
  // For other processes of the same run: numbers keep the precision that they have, so that nothing is lost
  // and kernels that go by it are the same there.
  static Archive keeper() { return Archive(Mode::write, Precision::f64, {}).keeping(); }
  static Archive keeper_of(std::span<const std::byte> bytes) {
    return Archive(Mode::read, Precision::f64, bytes).keeping();
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
  void about_sender(Fields&... values) {
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

  Archive keeping() && {
    keep_ = true;
    return std::move(*this);
  }
  void raw(void* data, std::size_t bytes);
  [[noreturn]] static void refuse_enum();
  // A length prefix; when reading, refuses what `bytes_each` says cannot fit in the rest.
  std::size_t length(std::size_t count, std::size_t bytes_each);

  template <class T>
  requires std::is_arithmetic_v<T>
  void field(T& value) {
    if constexpr (std::is_floating_point_v<T>) not_finite_ += value - value == 0 ? 0 : 1;
    raw(&value, sizeof value);
  }
  // An enumeration that travels says its last value, by a function last_of(T) beside it: a number beyond that
  // is refused, so that it is safe to index by.
  template <class T>
  requires std::is_enum_v<T>
  void field(T& value) {
    raw(&value, sizeof value);
    if (reading() && value > last_of(value)) refuse_enum();
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
    constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>;
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
  bool keep_ = false;    // the precision that numbers have
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

// The same between processes of one run, with numbers as they are.
template <class T>
Bytes encode_kept(T& value) {
  Archive a = Archive::keeper();
  a(value);
  return a.take();
}
template <class T>
T decode_kept(std::span<const std::byte> bytes) {
  Archive a = Archive::keeper_of(bytes);
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
