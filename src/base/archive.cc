#include "coterie/archive.h"

#include <cmath>
#include <cstring>

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
  bool narrow = precision_ == Precision::f32;
  std::size_t count = length(values.size(), narrow ? sizeof(float) : sizeof(double));
  if (reading()) values.resize(count);
  if (mode_ == Mode::round) {
    round_to(precision_, values);
    for (double v : values) not_finite_ += std::isfinite(v) ? 0 : 1;
  } else if (mode_ == Mode::size || !narrow) {
    raw(values.data(), count * (narrow ? sizeof(float) : sizeof(double)));
  } else {
    std::vector<float> floats(values.begin(), values.end());
    raw(floats.data(), count * sizeof(float));
    if (reading()) values.assign(floats.begin(), floats.end());
  }
}

void Archive::field(Numbers& value) {
  const bool narrow = precision_ == Precision::f32;
  if (reading()) {
    value.values_ = narrow ? std::variant<Vec, std::vector<float>>(std::vector<float>()) : Vec();
  } else if (narrow && std::holds_alternative<Vec>(value.values_)) {
    const Vec& wide = std::get<Vec>(value.values_);
    value.values_ = std::vector<float>(wide.begin(), wide.end());
  }
  std::visit(
      [&](auto& values) {
        const std::size_t bytes = narrow ? sizeof(float) : sizeof(double);
        const std::size_t count = length(values.size(), bytes);
        if (reading()) values.resize(count);
        if (mode_ == Mode::round) {
          for (const auto v : values) not_finite_ += v - v == 0 ? 0 : 1;
        } else if (sizeof values[0] == bytes) {
          raw(values.data(), count * bytes);
        } else {  // floats in a checkpoint
          Vec wide(values.begin(), values.end());
          raw(wide.data(), count * bytes);
        }
      },
      value.values_);
}

void Archive::field(Shared& value) {
  bool present = static_cast<bool>(value);
  overhead([&] { field(present); });
  if (reading()) value = Shared();
  if (!present || mode_ == Mode::round) return;
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
