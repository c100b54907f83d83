#include "fleet/message.h"

#include <gtest/gtest.h>

namespace coterie::message_test {
namespace {

const Shelf kShelf({{1, 2, 3}, {4, 5, 6}}, Precision::f32);

OrderMessage order() {
  return {{9, "train", {Purpose::work, 7, 1}, 42, 6, 8},
          {{3, Bytes(5)}},
          Bytes(9),
          {0, seal_item(kShelf[1], Precision::f32).name}};
}

TEST(Message, RoundTripsWithHolesInTheShelf) {
  OrderMessage sent = order();
  OrderMessage got = open_order(seal(sent, Precision::f32), Precision::f32);
  EXPECT_EQ(got.header, sent.header);
  EXPECT_EQ(got.note, sent.note);
  ASSERT_EQ(got.edits.size(), 1u);
  EXPECT_EQ(got.edits[0].what.size(), 5u);
  EXPECT_EQ(got.items, sent.items);
}

TEST(Message, AnItemIsKnownByItsContent) {
  const SealedItem item = seal_item(kShelf[1], Precision::f32), other = seal_item(kShelf[0], Precision::f32);
  EXPECT_NE(item.name, other.name);
  EXPECT_EQ(item.name, seal_item(Shared({4, 5, 6}, Precision::f32), Precision::f32).name);
  EXPECT_EQ(open_item(item.name, item.bytes, Precision::f32).values(), (Vec{4, 5, 6}));
  EXPECT_THROW(open_item(item.name, other.bytes, Precision::f32), MalformedMessage);
}

TEST(Message, IsRefusedWhenCutShortOrAltered) {
  OrderMessage sent = order();
  Bytes bytes = seal(sent, Precision::f32);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(open_order(std::span(bytes).first(length), Precision::f32), MalformedMessage) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes altered = bytes;
    altered[at] ^= std::byte{1};
    EXPECT_THROW(open_order(altered, Precision::f32), MalformedMessage) << at;
  }
}

TEST(Message, CountedSizeIsEncodedSize) {
  OrderMessage sent = order();
  // The note's nine bytes as its own fields would count them.
  Size size = order_size(sent.header, sent.edits, {9, 0}, kShelf.only(Items::only({1})), Precision::f32);
  EXPECT_EQ(size.payload + size.overhead,
            seal(sent, Precision::f32).size() + seal_item(kShelf[1], Precision::f32).bytes.size());
  EXPECT_EQ(size.payload, 4u + 5 + 9 + 3 * 4)
      << "the edit with its round, the note, one item of three floats";
  ReplyMessage reply{sent.header, "", Bytes(11)};
  Size up = reply_size(reply.header, {11, 0}, Precision::f32);
  EXPECT_EQ(up.payload, 11u);
  EXPECT_EQ(up.payload + up.overhead, seal(reply, Precision::f32).size());
}

}  // namespace
}  // namespace coterie::message_test
