#include "coterie/detail/archive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"

namespace coterie::archive_test {
namespace {

struct Inner {
  std::uint16_t number = 0;
  Vec values;
  bool operator==(const Inner&) const = default;
  void fields(Archive& a) { a(number, values); }
};

struct Message {
  std::uint32_t choice = 0;
  double loss = 0;
  bool flag = false;
  std::string text;
  Vec model;
  std::vector<std::uint32_t> ids;
  std::vector<Inner> inner;
  std::optional<double> maybe;
  std::vector<std::pair<std::uint32_t, double>> pairs;
  bool operator==(const Message&) const = default;
  void fields(Archive& a) { a(choice, loss, flag, text, model, ids, inner, maybe, pairs); }
};

Message example() {
  return {7, 0.1, true, "hello", {1.5, -2.25, 0.5}, {3, 1, 2}, {{9, {0.5}}, {8, {}}}, 0.3, {{4, 0.7}}};
}

enum class Colour : std::uint8_t { red, green };
constexpr Colour last_of(Colour) { return Colour::green; }

TEST(Archive, RefusesAnEnumerationsValueThatThereIsNot) {
  Colour colour = Colour::green;
  Bytes bytes = encode(colour, Precision::f32);
  EXPECT_EQ(decode<Colour>(bytes, Precision::f32), Colour::green);
  bytes[0] = std::byte{2};
  EXPECT_THROW(decode<Colour>(bytes, Precision::f32), MalformedMessage);
}

TEST(Archive, BetweenProcessesNumbersKeepTheirPrecision) {
  for (Numbers numbers : {Numbers(Room<float>{0.1f, 3}), Numbers(Room<double>{0.1, 3})}) {
    const Numbers there = decode_kept<Numbers>(encode_kept(numbers));
    std::size_t width = 0, width_there = 0;
    numbers.piece(0, 2, [&](auto values) { width = sizeof values[0]; });
    there.piece(0, 2, [&](auto values) { width_there = sizeof values[0]; });
    EXPECT_EQ(width_there, width);
    EXPECT_EQ(Vec(there), Vec(numbers));
  }
}

TEST(Archive, RoundTripsAtBothPrecisions) {
  for (Precision p : {Precision::f32, Precision::f64}) {
    Message message = example();
    Bytes bytes = encode(message, p);
    EXPECT_EQ(decode<Message>(bytes, p), message);
    Size size = encoded_size(message, p);
    EXPECT_EQ(size.payload + size.overhead, bytes.size());
  }
}

TEST(Archive, SplitsPayloadFromOverhead) {
  Message message;
  message.model = {1, 2, 3};
  // choice 4, loss 8, flag 1, three floats; lengths of five lists and a string, and the optional's flag.
  EXPECT_EQ(encoded_size(message, Precision::f32).payload, 4u + 8 + 1 + 3 * 4);
  EXPECT_EQ(encoded_size(message, Precision::f32).overhead, 5 * 4u + 1);
}

TEST(Archive, VectorsTravelAsFloatsAndScalarsExactly) {
  Message message;
  message.model = {0.1};
  message.loss = 0.1;
  Message back = decode<Message>(encode(message, Precision::f32), Precision::f32);
  EXPECT_EQ(back.model[0], static_cast<double>(0.1f));
  EXPECT_EQ(back.loss, 0.1);
}

TEST(Archive, RoundingInPlaceEqualsARoundTrip) {
  Message message;
  message.model = {0.1, 1.0 / 3, std::nan(""), 1e300};
  message.inner = {{1, {0.7}}};
  Message back = decode<Message>(encode(message, Precision::f32), Precision::f32);
  Archive rounder = Archive::rounder(Precision::f32);
  rounder(message);
  EXPECT_EQ(message.model[0], back.model[0]);
  EXPECT_EQ(message.model[1], back.model[1]);
  EXPECT_EQ(message.inner, back.inner);
  EXPECT_EQ(rounder.not_finite(), 2u);  // NaN, and 1e300 as a float
}

TEST(Archive, RefusesEveryTruncation) {
  Message message = example();
  Bytes bytes = encode(message, Precision::f32);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(decode<Message>(std::span(bytes).first(length), Precision::f32), MalformedMessage) << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THROW(decode<Message>(bytes, Precision::f32), MalformedMessage);
}

TEST(Archive, DoesNotAllocateWhatAMessageClaims) {
  // A list of 2^32 - 1 numbers in a message of eight bytes.
  Bytes bytes(8, std::byte{0xff});
  EXPECT_THROW(decode<Vec>(bytes, Precision::f64), MalformedMessage);
  EXPECT_THROW(decode<std::vector<Inner>>(bytes, Precision::f64), MalformedMessage);
  EXPECT_THROW(decode<std::string>(bytes, Precision::f64), MalformedMessage);
}

TEST(Archive, SurvivesArbitraryBytes) {
  Stream stream(1, {Purpose::test});
  Message message = example();
  Bytes good = encode(message, Precision::f32);
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes = good;
    for (int flips = 0; flips < 3; ++flips)
      bytes[stream.below(bytes.size())] = static_cast<std::byte>(stream.below(256));
    try {
      decode<Message>(bytes, Precision::f32);
    } catch (const MalformedMessage&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, 20000u);
}

TEST(Shared, MadeOfNumbersIsThatOfTheirValues) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Shared expected({0.1, 2}, precision);
    Shared item = Shared::of(Numbers(Vec{0.1, 2}), precision);
    EXPECT_EQ(item.size(), 2u);
    EXPECT_EQ(encoded_size(item, precision).payload, precision == Precision::f32 ? 8u : 16u);
    EXPECT_EQ(item.values(), expected.values());
    EXPECT_EQ(item.as<float>().size(), expected.as<float>().size());
  }
  EXPECT_EQ(Shared::of(Numbers(Room<float>{0.5f}), Precision::f32).as<float>()[0], 0.5f);
}

TEST(Shared, HoldsWhatTravels) {
  Shared item({0.1, 2}, Precision::f32);
  EXPECT_EQ(item.values()[0], static_cast<double>(0.1f));
  const std::span<const float> floats = item.as<float>();
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()), (std::vector<float>{0.1f, 2.0f}));
  EXPECT_EQ(Shared({0.1}, Precision::f64).values()[0], 0.1);
  Bytes bytes = encode(item, Precision::f32);
  EXPECT_EQ(decode<Shared>(bytes, Precision::f32).values(), item.values());
  EXPECT_EQ(encoded_size(item, Precision::f32).payload, 8u);
  EXPECT_EQ(encoded_size(item, Precision::f32).payload + encoded_size(item, Precision::f32).overhead,
            bytes.size());
}

struct Shown {
  std::uint32_t choice = 2;
  double loss = 7;
  Vec plain{1, 2};
  Numbers numbers = Vec{3};
  std::vector<Vec> list;
  std::optional<Vec> absent;
  Vec weights{4};
  std::vector<Numbers> told{Vec{5}};
  void fields(Archive& a) {
    a.vote(choice);
    a.about_sender(weights, told);
    a(loss, plain, numbers, list, absent);
  }
};

// Doubles what it sees, and counts.
struct Doubling : FieldVisitor {
  std::vector<std::size_t> sizes;
  void vector(Numbers& values) override {
    sizes.push_back(values.size());
    Vec twice = values;
    for (double& value : twice) value *= 2;
    values = Numbers(twice);
  }
  void vote(std::uint32_t& cluster) override { cluster *= 2; }
};

TEST(Archive, ShowsVectorsAndVotesToAVisitorThatMayChangeThem) {
  Shown shown;
  Doubling visitor;
  Archive::show(visitor)(shown);
  EXPECT_EQ(shown.choice, 4u);
  EXPECT_EQ(shown.loss, 7);
  EXPECT_EQ(shown.plain, (Vec{2, 4}));
  EXPECT_EQ(static_cast<Vec>(shown.numbers), (Vec{6}));
  EXPECT_TRUE(shown.list.empty());
  EXPECT_FALSE(shown.absent.has_value());
  EXPECT_EQ(visitor.sizes, (std::vector<std::size_t>{2, 1, 0, 0}))
      << "a list and an absent field show an empty one";
  EXPECT_EQ(shown.weights, (Vec{4})) << "figures are not shown";
  EXPECT_EQ(static_cast<Vec>(shown.told[0]), (Vec{5}));
  const Bytes bytes = encode(shown, Precision::f64);
  EXPECT_EQ(decode<Shown>(bytes, Precision::f64).weights, (Vec{4})) << "but they travel";
}

TEST(Archive, AVoteTravelsLikeAnyNumber) {
  Shown shown;
  shown.choice = 9;
  const Bytes bytes = encode(shown, Precision::f64);
  EXPECT_EQ(decode<Shown>(bytes, Precision::f64).choice, 9u);
  const Size size = encoded_size(shown, Precision::f64);
  EXPECT_EQ(size.payload + size.overhead, bytes.size());
}

}  // namespace
}  // namespace coterie::archive_test
