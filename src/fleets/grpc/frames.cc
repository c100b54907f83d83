#include "fleets/grpc/frames.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstring>

namespace coterie::net {

using google::protobuf::io::CodedOutputStream;

Frame frame_of(const google::protobuf::MessageLite& message) {
  const std::string text = message.SerializeAsString();
  const grpc::Slice slice(text);
  return Frame(&slice, 1);
}

std::vector<Frame> pieces_of(std::span<const std::byte> content, int field) {
  std::vector<Frame> frames;
  const std::uint32_t tag = (static_cast<std::uint32_t>(field) << 3) | 2;  // length-delimited
  for (std::size_t at = 0; at < content.size(); at += kPiece) {
    const std::size_t length = std::min(kPiece, content.size() - at);
    const std::size_t head = CodedOutputStream::VarintSize32(tag) +
                             CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(length));
    grpc_slice slice = grpc_slice_malloc(head + length);
    std::uint8_t* to = GRPC_SLICE_START_PTR(slice);
    to = CodedOutputStream::WriteVarint32ToArray(tag, to);
    to = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(length), to);
    std::memcpy(to, content.data() + at, length);
    const grpc::Slice own(slice, grpc::Slice::STEAL_REF);
    frames.emplace_back(&own, 1);
  }
  return frames;
}

bool parse(const Frame& frame, google::protobuf::MessageLite& message) {
  Frame copy = frame;  // a reader takes a buffer that it may change; the slices are shared
  grpc::ProtoBufferReader reader(&copy);
  return reader.status().ok() && message.ParseFromZeroCopyStream(&reader);
}

}  // namespace coterie::net
