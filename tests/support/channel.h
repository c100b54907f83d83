// Bytes between two processes: messages with their length in front, over a socket.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "coterie/data.h"
#include "coterie/error.h"

namespace coterie {

class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel() { close(socket_); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void send(std::span<const std::byte> bytes) const {
    const std::uint64_t length = bytes.size();
    put(&length, sizeof length);
    put(bytes.data(), bytes.size());
  }
  void send(const std::string& text) const { send(std::as_bytes(std::span(text.data(), text.size()))); }
  // Nothing when the other side has closed.
  std::optional<Bytes> receive() const {
    std::uint64_t length = 0;
    if (!get(&length, sizeof length)) return std::nullopt;
    Bytes bytes(length);
    if (!get(bytes.data(), bytes.size())) return std::nullopt;
    return bytes;
  }
  std::string receive_text() const {
    const Bytes bytes = receive().value();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  void put(const void* data, std::size_t size) const {
    const auto* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t sent = ::send(socket_, next, size, MSG_NOSIGNAL);
      if (sent <= 0) throw Error("the process of the clients has ended");
      next += sent;
      size -= static_cast<std::size_t>(sent);
    }
  }
  bool get(void* data, std::size_t size) const {
    auto* next = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t got = recv(socket_, next, size, 0);
      if (got <= 0) return false;
      next += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  int socket_;
};

}  // namespace coterie
