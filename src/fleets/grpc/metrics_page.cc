#include "fleets/grpc/metrics_page.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "coterie/error.h"
#include "fleets/grpc/addresses.h"

namespace coterie::net {

MetricsPage::MetricsPage(const std::string& address, std::function<std::string()> content)
    : content_(std::move(content)) {
  const auto [host, port] = host_and_port(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); code != 0)
    throw Error(fmt::format("--metrics {}: {}", address, gai_strerror(code)));
  socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool bound = bind(socket_, found->ai_addr, found->ai_addrlen) == 0 && listen(socket_, 16) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (!bound) {
    close(socket_);
    throw Error(fmt::format("--metrics {}: cannot listen there: {}", address, std::strerror(error)));
  }
  thread_ = std::thread([this] { serve(); });
}

MetricsPage::~MetricsPage() {
  over_ = true;
  thread_.join();
  close(socket_);
}

void MetricsPage::serve() {
  while (!over_) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, 200) != 1) continue;
    const int caller = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller < 0) continue;
    answer(caller);
    close(caller);
  }
}

// One caller at a time, and none may take long.
void MetricsPage::answer(int caller) const {
  const timeval patience{2, 0};
  setsockopt(caller, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(caller, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  char request[2048];
  const ssize_t got = recv(caller, request, sizeof request, 0);
  if (got <= 0) return;
  const std::string_view asked(request, static_cast<std::size_t>(got));
  const bool known = asked.starts_with("GET /metrics ") || asked.starts_with("GET / ");
  const std::string body = known ? content_() : "the numbers are at /metrics\n";
  const std::string text = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: "
      "close\r\n\r\n{}",
      known ? "200 OK" : "404 Not Found", body.size(), body);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = send(caller, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<std::size_t>(sent);
  }
}

}  // namespace coterie::net
