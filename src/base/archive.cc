#include "coterie/detail/archive.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/largest.h"

namespace coterie {

void round_to(Precision precision, std::span<double> values) {
  if (precision == Precision::f64) return;
  for (double& v : values) v = static_cast<double>(static_cast<float>(v));
}

Shared::Shared(Vec values, Precision precision) {
  auto item = std::make_shared<Item>();
  item->values = std::move(values);
  if (precision == Precision::f32) {
    item->floats.resize(item->values.size());
    for (std::size_t i = 0; i < item->values.size(); ++i) {
      item->floats[i] = static_cast<float>(item->values[i]);
      item->values[i] = static_cast<double>(item->floats[i]);
    }
  }
  item_ = std::move(item);
}

Shared Shared::of(Numbers values, Precision precision) {
  if (precision == Precision::f64) return Shared(Vec(values), precision);
  auto item = std::make_shared<Item>();
  item->floats = std::move(values.edit<float>());
  item->narrow = true;
  Shared shared;
  shared.item_ = std::move(item);
  return shared;
}

std::size_t Numbers::size() const {
  if (const auto* late = std::get_if<Late<float>>(&values_)) return late->size;
  if (const auto* late = std::get_if<Late<double>>(&values_)) return late->size;
  if (const auto* room = std::get_if<Room<float>>(&values_)) return room->size();
  return std::get<Room<double>>(values_).size();
}

Numbers::operator Vec() const {
  Vec out(size());
  piece(0, size(), [&](auto values) { std::copy(values.begin(), values.end(), out.begin()); });
  return out;
}

std::size_t Numbers::step() const {
  if (const auto* late = std::get_if<Late<float>>(&values_)) return late->step;
  if (const auto* late = std::get_if<Late<double>>(&values_)) return late->step;
  return 1;
}

double Numbers::largest(double limit) const {
  if (const auto* late = std::get_if<Late<float>>(&values_); late && late->bound <= limit) return late->bound;
  if (const auto* late = std::get_if<Late<double>>(&values_); late && late->bound <= limit)
    return late->bound;
  if (!largest_) {
    write_whole();
    piece(0, size(), [&](auto values) { largest_ = largest_of(values); });
  }
  return *largest_;
}

void Numbers::write_whole() const {
  auto compute = [&](auto& late, auto room) {
    room.resize(late.size);
    late.write(0, room);
    values_ = std::move(room);
  };
  if (auto* late = std::get_if<Late<float>>(&values_)) return compute(*late, Room<float>());
  if (auto* late = std::get_if<Late<double>>(&values_)) return compute(*late, Room<double>());
}

namespace {

template <class Real>
std::span<const Real> write_piece(const Late<Real>& late, std::size_t begin, std::size_t length) {
  static thread_local Room<Real> room;
  if (room.size() < length) room.resize(length);
  const std::span<Real> out(room.data(), length);
  late.write(begin, out);
  return out;
}

}  // namespace

std::span<const float> Numbers::written(const Late<float>& late, std::size_t begin, std::size_t length) {
  return write_piece(late, begin, length);
}
std::span<const double> Numbers::written(const Late<double>& late, std::size_t begin, std::size_t length) {
  return write_piece(late, begin, length);
}

template <class Real>
Room<Real>& Numbers::edit() {
  write_whole();
  largest_.reset();
  if (!std::holds_alternative<Room<Real>>(values_)) {
    Room<Real> other(size());
    piece(0, size(), [&](auto values) { std::copy(values.begin(), values.end(), other.begin()); });
    values_ = std::move(other);
  }
  return std::get<Room<Real>>(values_);
}
template Room<float>& Numbers::edit();
template Room<double>& Numbers::edit();

void Archive::expect_end() const {
  if (!in_.empty()) throw MalformedMessage(std::to_string(in_.size()) + " bytes are left over at its end");
}

void Archive::raw(void* data, std::size_t bytes) {
  switch (mode_) {
    case Mode::write: {
      const auto* begin = static_cast<const std::byte*>(data);
      out_.insert(out_.end(), begin, begin + bytes);
      break;
    }
    case Mode::read:
      if (bytes > in_.size()) {
        throw MalformedMessage("it ends too early: " + std::to_string(bytes) + " bytes expected, " +
                               std::to_string(in_.size()) + " left");
      }
      if (bytes > 0) std::memcpy(data, in_.data(), bytes);
      in_ = in_.subspan(bytes);
      break;
    case Mode::size:
    case Mode::round:
    case Mode::show:
      break;
  }
  (framing_ ? size_.overhead : size_.payload) += bytes;
}

std::size_t Archive::length(std::size_t count, std::size_t bytes_each) {
  check(count <= UINT32_MAX, "a list of a message is longer than its length field can say");
  auto prefix = static_cast<std::uint32_t>(count);
  overhead([&] { raw(&prefix, sizeof prefix); });
  if (reading() && prefix > in_.size() / bytes_each) {
    throw MalformedMessage("it claims a list of " + std::to_string(prefix) + " entries, more than its " +
                           std::to_string(in_.size()) + " bytes can hold");
  }
  return prefix;
}

void Archive::field(bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  raw(&byte, 1);
  if (byte > 1) throw MalformedMessage("a yes/no field is " + std::to_string(byte));
  value = byte == 1;
}

void Archive::field(std::string& value) {
  std::size_t count = length(value.size(), 1);
  if (reading()) value.resize(count);
  raw(value.data(), count);
}

void Archive::field(Vec& values) {
  if (mode_ == Mode::show) {
    if (hidden_) return;
    Numbers numbers(values);
    visitor_->vector(numbers);
    values = numbers;
    return;
  }
  bool narrow = precision_ == Precision::f32;
  std::size_t count = length(values.size(), narrow ? sizeof(float) : sizeof(double));
  if (reading()) {
    values.clear();
    narrow ? values.reserve(count) : values.resize(count);
  }
  if (mode_ == Mode::round) {
    round_to(precision_, values);
    for (double v : values) not_finite_ += std::isfinite(v) ? 0 : 1;
  } else if (mode_ == Mode::size || !narrow) {
    raw(values.data(), count * (narrow ? sizeof(float) : sizeof(double)));
  } else {
    constexpr std::size_t kChunk = 1024;  // numbers that are converted at a time
    for (std::size_t begin = 0; begin < count; begin += kChunk) {
      float floats[kChunk];
      const std::size_t some = std::min(kChunk, count - begin);
      if (!reading()) std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), some, floats);
      raw(floats, some * sizeof(float));
      if (reading()) values.insert(values.end(), floats, floats + some);
    }
  }
}

void Archive::refuse_enum() { throw MalformedMessage("one of its fields has a value that it cannot have"); }

void Archive::field(Numbers& value) {
  if (mode_ == Mode::show) {
    if (!hidden_) visitor_->vector(value);
    return;
  }
  bool narrow = precision_ == Precision::f32;
  if (keep_) {
    narrow = std::holds_alternative<Room<float>>(value.values_) ||
             std::holds_alternative<Late<float>>(value.values_);
    field(narrow);
  }
  const std::size_t bytes = narrow ? sizeof(float) : sizeof(double);
  if (mode_ == Mode::size) {
    length(value.size(), bytes);
    raw(nullptr, value.size() * bytes);
    return;
  }
  if (reading()) {
    value = narrow ? Numbers(Room<float>()) : Numbers(Room<double>());
    const std::size_t count = length(0, bytes);
    auto read = [&](auto& values) {
      values.resize(count);
      raw(values.data(), count * bytes);
    };
    narrow ? read(std::get<Room<float>>(value.values_)) : read(std::get<Room<double>>(value.values_));
    return;
  }
  if (mode_ == Mode::round) {
    if (narrow && std::holds_alternative<Late<double>>(value.values_)) value.write_whole();
    if (narrow && std::holds_alternative<Room<double>>(value.values_)) {
      const auto& wide = std::get<Room<double>>(value.values_);
      value = Numbers(Room<float>(wide.begin(), wide.end()));
    }
    // A bound beyond the floats does not tell whether floats within it are finite.
    if (!std::isnan(value.largest(std::numeric_limits<float>::max()))) return;
    value.piece(0, value.size(), [&](auto values) {
      not_finite_ += static_cast<std::size_t>(
          std::count_if(values.begin(), values.end(), [](auto v) { return !std::isfinite(v); }));
    });
    return;
  }
  length(value.size(), bytes);
  value.piece(0, value.size(), [&](auto values) {
    if (sizeof values[0] == bytes) {
      raw(const_cast<void*>(static_cast<const void*>(values.data())), values.size() * bytes);
    } else if (narrow) {
      Room<float> floats(values.begin(), values.end());
      raw(floats.data(), floats.size() * bytes);
    } else {  // floats in a checkpoint
      Vec wide(values.begin(), values.end());
      raw(wide.data(), wide.size() * bytes);
    }
  });
}

void Archive::field(Shared& value) {
  bool present = static_cast<bool>(value);
  overhead([&] { field(present); });
  if (reading()) value = Shared();
  if (!present || mode_ == Mode::round || mode_ == Mode::show) return;
  if (reading()) {
    Vec values;
    field(values);
    value = Shared(std::move(values), precision_);
  } else if (mode_ == Mode::size) {
    overhead([&] { length(value.size(), 1); });
    std::size_t bytes = value.size() * (precision_ == Precision::f32 ? sizeof(float) : sizeof(double));
    raw(nullptr, bytes);
  } else {
    Vec values = value.values();
    field(values);
  }
}

}  // namespace coterie
