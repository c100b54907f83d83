// Messages of proto/coterie.proto as gRPC carries them. Long content goes in pieces, whose bytes are shared
// by all streams that send them.
#pragma once

#include <coterie.pb.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <span>
#include <vector>

#include "coterie/data.h"

namespace coterie::net {

constexpr std::uint32_t kProtocol = 1;
constexpr std::size_t kPiece = 256 << 10;          // bytes of content in a piece
constexpr std::size_t kFirst = 16 << 10;           // of a reply, that come with its announcement
constexpr int kLongestMessage = (1 << 20) + 1024;  // whatever is longer ends the stream

using Frame = grpc::ByteBuffer;

Frame frame_of(const google::protobuf::MessageLite& message);
// Content as pieces: the field `piece` of FromClient or of FromServer.
std::vector<Frame> pieces_of(std::span<const std::byte> content, int field);
// False when it is no such message.
bool parse(const Frame& frame, google::protobuf::MessageLite& message);

// Content that arrives in pieces.
class Incoming {
 public:
  void expect(std::uint64_t size) {
    size_ = size;
    bytes_ = {};
  }
  // False when it is more than was announced.
  bool add(std::string_view piece) {
    if (piece.size() > size_ - bytes_.size()) return false;
    // A reply that waits to be let in takes no more room than its first bytes. What was announced need not
    // come.
    constexpr std::uint64_t kAhead = 4 << 20;
    if (!bytes_.empty() && bytes_.size() + piece.size() > bytes_.capacity())
      bytes_.reserve(
          std::min<std::uint64_t>(size_, std::max<std::uint64_t>(kAhead, 2 * bytes_.size() + piece.size())));
    const auto* begin = reinterpret_cast<const std::byte*>(piece.data());
    bytes_.insert(bytes_.end(), begin, begin + piece.size());
    return true;
  }
  bool whole() const { return bytes_.size() == size_; }
  Bytes take() { return std::move(bytes_); }

 private:
  std::uint64_t size_ = 0;
  Bytes bytes_;
};

}  // namespace coterie::net
