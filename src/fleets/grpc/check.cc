#include "fleets/grpc/check.h"

#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "base/plugins.h"
#include "fleets/grpc/addresses.h"
#include "fleets/grpc/dial.h"
#include "fleets/grpc/tls.h"

namespace coterie::net {
namespace {

struct Socket {
  int number = -1;
  ~Socket() {
    if (number >= 0) close(number);
  }
};

// One step: throws Error when it fails.
std::string resolve(const std::string& host, const std::string& port, addrinfo*& found) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const int code = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (code != 0)
    throw Error(fmt::format("{}: {}; check the name, or dial an address", host, gai_strerror(code)));
  char text[NI_MAXHOST];
  getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

void connect_to(const addrinfo* found, Socket& socket_) {
  std::string why = "nothing answers";
  for (; found != nullptr; found = found->ai_next) {
    const int one = socket(found->ai_family, found->ai_socktype | SOCK_NONBLOCK, 0);
    if (one < 0) continue;
    Socket guard{one};
    int error = connect(one, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      pollfd waiting{one, POLLOUT, 0};
      socklen_t length = sizeof error;
      error = poll(&waiting, 1, 5000) == 1 ? 0 : ETIMEDOUT;
      if (error == 0) getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &length);
    }
    if (error == 0) {
      std::swap(guard.number, socket_.number);
      return;
    }
    why = error == ECONNREFUSED ? "refused: no server listens there; is it running, and with that port?"
          : error == ETIMEDOUT  ? "no answer within 5 s: a firewall on the way, or another address?"
                                : std::strerror(error);
  }
  throw Error(why);
}

std::string tls_reason(long verified) {
  const std::string text = X509_verify_cert_error_string(verified);
  if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
    return text +
           ": the server's certificate is not for this name; make it with `coterie certs --server NAME`";
  if (verified == X509_V_ERR_CERT_HAS_EXPIRED || verified == X509_V_ERR_CERT_NOT_YET_VALID)
    return text + ": make a new one, and check the clocks";
  return text + ": its CA is not the one in ca.crt";
}

std::string shake_hands(int number, const std::string& host, const Identity& identity) {
  const KeyFiles keys = read_keys(identity);  // says what is missing
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const std::string own = identity.certs + "/" + identity.name;
  if (SSL_CTX_load_verify_file(context.get(), (identity.certs + "/ca.crt").c_str()) != 1)
    throw Error(identity.certs + "/ca.crt holds no certificate");
  if (SSL_CTX_use_certificate_chain_file(context.get(), (own + ".crt").c_str()) != 1)
    throw Error(own + ".crt holds no certificate");
  if (SSL_CTX_use_PrivateKey_file(context.get(), (own + ".key").c_str(), SSL_FILETYPE_PEM) != 1)
    throw Error(own + ".key is not the key of " + own + ".crt");
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context.get()), SSL_free);
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_set_alpn_protos(session.get(), kHttp2, sizeof kHttp2);
  SSL_set_tlsext_host_name(session.get(), host.c_str());
  X509_VERIFY_PARAM* verify = SSL_get0_param(session.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(verify, host.c_str()) != 1)
    X509_VERIFY_PARAM_set1_host(verify, host.c_str(), 0);
  SSL_set_verify(session.get(), SSL_VERIFY_PEER, nullptr);
  SSL_set_fd(session.get(), number);
  while (true) {
    const int done = SSL_connect(session.get());
    if (done == 1) break;
    const int error = SSL_get_error(session.get(), done);
    pollfd waiting{number, static_cast<short>(error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN), 0};
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
      const long verified = SSL_get_verify_result(session.get());
      if (verified != X509_V_OK) throw Error(tls_reason(verified));
      throw Error("the other side does not speak TLS, or hangs up; is the server running with --insecure?");
    }
    if (poll(&waiting, 1, 5000) != 1) throw Error("no answer within 5 s");
  }
  return SSL_get_version(session.get());
}

std::string knock(const CheckRequest& request) {
  const auto channel = grpc::CreateChannel(request.server, channel_credentials(request.identity));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  const std::unique_ptr<Stream> stream = hold(channel, context);
  FromClient message;
  message.mutable_hello()->set_protocol(kProtocol);
  message.mutable_hello()->set_version(engine_version());
  message.mutable_hello()->set_name(request.identity.name);
  message.mutable_hello()->set_visit(true);
  FromServer answer;
  const bool answered = write(*stream, message) && read(*stream, answer);
  stream->WritesDone();
  const grpc::Status status = finish(*stream);
  if (!answered) {
    throw Error(
        status.error_message() +
        ": the server hung up; is this client's certificate of the server's CA, in time and not revoked?");
  }
  if (answer.has_refusal()) throw Error(answer.refusal().why());
  return answer.over().why();
}

}  // namespace

bool check_server(const CheckRequest& request, const std::function<void(const std::string&)>& say) {
  const auto [host, port] = host_and_port(request.server);
  addrinfo* found = nullptr;
  Socket socket;
  const auto step = [&](const char* what, const std::function<std::string()>& work) {
    try {
      const std::string text = work();
      say(fmt::format("ok      {}{}", what, text.empty() ? "" : ": " + text));
      return true;
    } catch (const Error& e) {
      say(fmt::format("FAILED  {}: {}", what, e.what()));
      return false;
    }
  };
  bool well = step("the name is known", [&, host = host, port = port] { return resolve(host, port, found); });
  well = well && step("the port is open", [&] {
           connect_to(found, socket);
           return std::string();
         });
  if (found != nullptr) freeaddrinfo(found);
  if (!request.identity.insecure)
    well = well && step("TLS, both ways",
                        [&, host = host] { return shake_hands(socket.number, host, request.identity); });
  return well && step("the server lets this client in", [&] { return knock(request); });
}

}  // namespace coterie::net
