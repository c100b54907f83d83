#include "fleet/message.h"

#include <cstring>

#include "base/checksum.h"
#include "base/md5.h"

namespace coterie {
namespace {

constexpr std::size_t kChecksum = sizeof(std::uint32_t);

// Never 0, which stands for no item.
ItemName name_of(std::span<const std::byte> bytes) {
  return std::stoull(md5_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 16),
                     nullptr, 16) |
         1;
}

template <class Message>
Bytes seal_any(Message& message, Precision precision) {
  Bytes bytes = encode(message, precision);
  std::uint32_t sum = checksum(bytes);
  const auto* begin = reinterpret_cast<const std::byte*>(&sum);
  bytes.insert(bytes.end(), begin, begin + kChecksum);
  return bytes;
}

template <class Message>
Message open_any(std::span<const std::byte> bytes, Precision precision) {
  if (bytes.size() < kChecksum)
    throw MalformedMessage("it has only " + std::to_string(bytes.size()) + " bytes");
  std::uint32_t sum = 0;
  std::span<const std::byte> body = bytes.first(bytes.size() - kChecksum);
  std::memcpy(&sum, bytes.data() + body.size(), kChecksum);
  if (sum != checksum(body)) throw MalformedMessage("its checksum does not match");
  return decode<Message>(body, precision);
}

// Sizes of everything but an embedded note or reply, whose own count is added.
template <class Message>
Size size_with(Message message, const Size& embedded, Precision precision) {
  Size size = encoded_size(message, precision);
  size.payload += embedded.payload;
  size.overhead += embedded.overhead + kChecksum;
  return size;
}

}  // namespace

Bytes seal(OrderMessage& message, Precision precision) { return seal_any(message, precision); }
Bytes seal(ReplyMessage& message, Precision precision) { return seal_any(message, precision); }

OrderMessage open_order(std::span<const std::byte> bytes, Precision precision) {
  return open_any<OrderMessage>(bytes, precision);
}
ReplyMessage open_reply(std::span<const std::byte> bytes, Precision precision) {
  return open_any<ReplyMessage>(bytes, precision);
}

SealedItem seal_item(const Shared& item, Precision precision) {
  Shared copy = item;
  SealedItem sealed{0, encode(copy, precision)};
  sealed.name = name_of(sealed.bytes);
  return sealed;
}

Shared open_item(ItemName name, std::span<const std::byte> bytes, Precision precision) {
  if (name_of(bytes) != name) throw MalformedMessage("an item of the shelf is not what its name says");
  return decode<Shared>(bytes, precision);
}

Size order_size(const MessageHeader& header, const std::vector<Edit>& edits, const Size& note,
                const Shelf& shelf, Precision precision) {
  Size size =
      size_with(OrderMessage{header, edits, {}, std::vector<ItemName>(shelf.size())}, note, precision);
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (!shelf.has(k)) continue;
    Shared item = shelf[k];
    const Size one = encoded_size(item, precision);
    size.payload += one.payload;
    size.overhead += one.overhead;
  }
  return size;
}

Size reply_size(const MessageHeader& header, const Size& reply, Precision precision) {
  return size_with(ReplyMessage{header, "", {}}, reply, precision);
}

}  // namespace coterie
