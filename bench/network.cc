// Rounds over loopback with clients that do no work, in processes of their own: a vector for each cluster
// goes down, one comes back, and is checked and folded as in a run. Prints seconds a round and the server's
// memory; with --raw also what streams of gRPC take for the same bytes, of which nothing is checked or
// folded.
//
//   bench_network [--clients 128] [--floats 159010] [--models 1] [--rounds 10] [--processes 2] [--tls]
//   [--raw] bench_network --clients 5000 --rounds 0 --tls      memory of connections that do nothing
#include "fleet/network.h"

#include <coterie.grpc.pb.h>
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/disk.h"
#include "base/plugins.h"
#include "coterie/detail/job.h"
#include "coterie/methods/slots.h"
#include "fleet/client_program.h"
#include "fleet/fleets.h"
#include "fleet/joined_roster.h"
#include "fleet/message.h"

namespace coterie {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int clients = 128, models = 1, rounds = 10, processes = 2;
  std::size_t floats = 159010;
  bool tls = false, raw = false;
};

constexpr std::size_t kPiece = 256 << 10;

// Each connection takes a descriptor, and the usual limit is 1,024.
void raise_limit_of_files(int clients) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const auto needed = static_cast<rlim_t>(2 * clients + 200);
  if (files.rlim_cur < needed) {
    throw Error(fmt::format("{} clients need {} files, and this machine allows {}; raise it with ulimit -Hn",
                            clients, needed, files.rlim_cur));
  }
}

struct DownNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct UpReply {
  Numbers model;
  void fields(Archive& a) { a(model); }
};
const Job<DownNote, UpReply> kTrade("trade", nullptr);

constexpr const char* kProgram =
    "seed = 1\nprecision = \"float\"\n[model]\nkind = \"softmax\"\n[algorithm]\nkind = "
    "\"fedavg\"\n[local]\nrate = 0.1\n";

std::string name_of(int client) { return fmt::format("client-{:05}", client); }

// --- a client: takes what comes and answers with the same bytes every time
// ---------------------------------------

class Idler {
 public:
  Idler(const Options& options, const std::string& body) : options_(options), body_(body) {
    body_sum_ = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  }

  void run(int client, int port, const std::string& certs) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    std::shared_ptr<grpc::ChannelCredentials> keys = grpc::InsecureChannelCredentials();
    if (options_.tls) {
      const std::string own = certs + "/" + name_of(client);
      keys = grpc::SslCredentials(
          {read_file(certs + "/ca.crt"), read_file(own + ".key"), read_file(own + ".crt")});
    }
    const auto stub = v1::Federation::NewStub(
        grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), keys, arguments));
    grpc::ClientContext context;
    const auto stream = stub->Hold(&context);
    v1::FromClient message;
    message.mutable_hello()->set_protocol(1);
    message.mutable_hello()->set_version(engine_version());
    message.mutable_hello()->set_name(name_of(client));
    stream->Write(message);
    v1::FromServer got;
    std::uint64_t left = 0;
    bool order = false;
    Bytes bytes;
    while (stream->Read(&got)) {
      if (got.has_reading()) {
        Introduction told{"", {Task::classification, 10, 2}, 10, 0, 0, 1, {}, std::nullopt};
        const Bytes text = encode(told, Precision::f64);
        message.set_told(text.data(), text.size());
        stream->Write(message);
      } else if (got.has_item() || got.has_order()) {
        order = got.has_order();
        left = order ? got.order().size() : got.item().size();
        bytes.clear();
      } else if (got.has_piece()) {
        left -= got.piece().size();
        if (!order) continue;
        const auto* begin = reinterpret_cast<const std::byte*>(got.piece().data());
        bytes.insert(bytes.end(), begin, begin + got.piece().size());
        if (left == 0) answer(*stream, bytes);
      } else if (got.has_over()) {
        stream->WritesDone();
      }
    }
    stream->Finish();
  }

 private:
  using Stream = grpc::ClientReaderWriter<v1::FromClient, v1::FromServer>;

  // The message as seal() makes it, without going over the body again.
  void answer(Stream& stream, const Bytes& order) const {
    ReplyMessage head{open_order(order, Precision::f32).header, "", {}};
    Bytes start = encode(head, Precision::f32);
    const auto size = static_cast<std::uint32_t>(body_.size());
    start.resize(start.size() - sizeof size);
    const auto* begin = reinterpret_cast<const std::byte*>(&size);
    start.insert(start.end(), begin, begin + sizeof size);
    auto sum = static_cast<std::uint32_t>(
        crc32_combine(crc32_z(0, reinterpret_cast<const Bytef*>(start.data()), start.size()), body_sum_,
                      static_cast<z_off_t>(body_.size())));
    v1::FromClient message;
    message.mutable_reply()->set_size(start.size() + body_.size() + sizeof sum);
    message.mutable_reply()->set_first(start.data(), start.size());
    stream.Write(message);
    for (std::size_t at = 0; at < body_.size(); at += kPiece) {
      message.set_piece(body_.data() + at, std::min(kPiece, body_.size() - at));
      stream.Write(message);
    }
    message.set_piece(&sum, sizeof sum);
    stream.Write(message);
  }

  const Options& options_;
  const std::string& body_;
  std::uint32_t body_sum_ = 0;
};

// --- the same bytes over streams of gRPC, and nothing else
// ---------------------------------------------------------

class RawClient {
 public:
  RawClient(const Options& options, int port) : options_(options), port_(port) {}
  void run() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = v1::Federation::NewStub(grpc::CreateCustomChannel(
        "127.0.0.1:" + std::to_string(port_), grpc::InsecureChannelCredentials(), arguments));
    grpc::ClientContext context;
    const auto stream = stub->Hold(&context);
    v1::FromServer got;
    v1::FromClient piece;
    const std::size_t vector = options_.floats * sizeof(float);
    for (std::size_t bytes = 0; stream->Read(&got);) {
      bytes += got.piece().size();
      if (bytes < vector * static_cast<std::size_t>(options_.models)) continue;
      bytes = 0;
      for (std::size_t at = 0; at < vector; at += kPiece) {
        piece.set_piece(std::string(std::min(kPiece, vector - at), 'x'));
        stream->Write(piece);
      }
    }
    stream->WritesDone();
    stream->Finish();
  }

 private:
  const Options& options_;
  int port_;
};

class RawServer : public v1::Federation::WithRawCallbackMethod_Hold<v1::Federation::Service> {
 public:
  explicit RawServer(const Options& options) : expected_(options.floats * sizeof(float)) {
    const std::size_t vector = options.floats * sizeof(float);
    for (int k = 0; k < options.models; ++k) {
      for (std::size_t at = 0; at < vector; at += kPiece) {
        v1::FromServer message;
        message.set_piece(std::string(std::min(kPiece, vector - at), 'x'));
        const grpc::Slice slice(message.SerializeAsString());
        frames_.emplace_back(&slice, 1);
      }
    }
  }
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Hold(grpc::CallbackServerContext*) override {
    auto* one = new Line(*this);
    const std::lock_guard guard(mutex_);
    lines_.push_back(one);
    changed_.notify_all();
    return one;
  }
  void wait_for(std::size_t clients) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return lines_.size() == clients; });
  }
  void round() {
    std::unique_lock guard(mutex_);
    left_ = lines_.size();
    for (Line* line : lines_) line->send();
    changed_.wait(guard, [&] { return left_ == 0; });
  }
  void end() {
    for (Line* line : lines_) line->Finish(grpc::Status::OK);
  }

 private:
  class Line : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    explicit Line(RawServer& server) : server_(server) { StartRead(&in_); }
    void send() {
      next_ = 0;
      StartWrite(&server_.frames_[next_]);
    }
    void OnWriteDone(bool ok) override {
      if (ok && ++next_ < server_.frames_.size()) StartWrite(&server_.frames_[next_]);
    }
    void OnReadDone(bool ok) override {
      if (!ok) return;
      got_ += in_.Length();
      if (got_ >= server_.expected_) {
        got_ = 0;
        server_.heard();
      }
      StartRead(&in_);
    }
    void OnDone() override { delete this; }

   private:
    RawServer& server_;
    grpc::ByteBuffer in_;
    std::size_t next_ = 0, got_ = 0;
  };
  void heard() {
    const std::lock_guard guard(mutex_);
    --left_;
    changed_.notify_all();
  }

  const std::size_t expected_;
  std::vector<grpc::ByteBuffer> frames_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Line*> lines_;
  std::size_t left_ = 0;
};

void be_clients(const Options& options, int process, int from_parent) {
  char text[512] = {};
  if (read(from_parent, text, sizeof text - 1) <= 0) return;
  const int port = std::atoi(text);
  const char* rest = std::strchr(text, ' ') + 1;
  const int raw_port = std::atoi(rest);
  const std::string certs = std::strchr(rest, ' ') + 1;
  UpReply reply{Numbers(Room<float>(options.floats, 0.01f))};
  const Bytes encoded = encode(reply, Precision::f32);
  const std::string body(reinterpret_cast<const char*>(encoded.data()), encoded.size());
  const Idler idler(options, body);
  std::vector<std::thread> threads;
  for (int client = process; client < options.clients; client += options.processes)
    threads.emplace_back([&, client] { idler.run(client, port, certs); });
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  const RawClient raw(options, raw_port);
  for (int client = process; options.raw && client < options.clients; client += options.processes)
    threads.emplace_back([&] { raw.run(); });
  for (std::thread& thread : threads) thread.join();
}

// --- the server
// --------------------------------------------------------------------------------------------------

class NoData : public Shards {
 public:
  std::shared_ptr<const Samples> samples(ClientId, Part, std::uint32_t) const override {
    throw Error("no data");
  }
};

double resident_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double median_of(std::vector<double> seconds) { return seconds[seconds.size() / 2]; }

void serve(const Options& options, const std::vector<int>& to_children) {
  const std::unique_ptr<Network> network = load_network("bench");
  char folder[] = "/tmp/coterie-bench-XXXXXX";
  ServeRequest request;
  request.listen = "127.0.0.1:0";
  request.quiet = true;
  request.identity.insecure = !options.tls;
  request.identity.name = "server";
  if (options.tls) {
    CertsRequest certs;
    certs.folder = request.identity.certs = mkdtemp(folder);
    certs.servers = {"127.0.0.1"};
    for (int i = 0; i < options.clients; ++i) certs.clients.push_back(name_of(i));
    network->make_certs(certs);
  }
  const std::unique_ptr<Server> server = network->serve(request);
  RawServer raw(options);
  grpc::ServerBuilder raw_builder;
  int raw_port = 0;
  raw_builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &raw_port);
  raw_builder.RegisterService(&raw);
  const std::unique_ptr<grpc::Server> raw_server = raw_builder.BuildAndStart();
  const std::string told = fmt::format("{} {} {}", server->port(), raw_port, request.identity.certs);
  for (const int child : to_children) {
    if (write(child, told.data(), told.size()) < 0) throw Error("a child is gone");
  }
  Invitation invitation;
  invitation.count = static_cast<std::size_t>(options.clients);
  const double before = resident_mb();
  auto roster = JoinedRoster(server->gather(invitation), 0);
  const double joined = resident_mb();
  if (options.rounds == 0) {
    fmt::print("{} clients that do nothing, {}: {:.1f} KB a connection, {:.0f} MB at the server\n",
               options.clients, options.tls ? "TLS" : "plaintext", (joined - before) * 1024 / options.clients,
               joined);
    server->close("done");
    return;
  }
  const std::string agreement = Agreement::of(roster, false).text();
  const auto kind = Registry<FleetKind>::instance().make("grpc");
  kind->reach(*server);
  const NoData none;
  FleetOptions limits;
  const std::unique_ptr<Fleet> fleet = kind->make(
      {roster, none, std::make_shared<ClientProgram>(kProgram, agreement), kProgram, agreement, limits, 2});
  std::vector<double> seconds;
  for (int round = 1; round <= options.rounds; ++round) {
    fleet->begin_round(static_cast<std::uint32_t>(round));
    std::vector<Vec> models;
    for (int k = 0; k < options.models; ++k) models.emplace_back(options.floats, 0.001 * round + k);
    const auto begin = Clock::now();
    const Shelf shelf(models, Precision::f32);
    Sums sums(1, options.floats, options.clients);
    IntoSlots<UpReply> fold(sums, &UpReply::model, [](ClientId, const UpReply&) {
      return SlotWeight{0, 1.0};
    });
    const auto heard = fleet->ask(kTrade, fleet->everyone(), shelf,
                                  [](ClientId) { return DownNote{Items::all()}; }, {&fold});
    if (heard.size() != static_cast<std::size_t>(options.clients)) throw Error("not everybody answered");
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const double megabytes =
      4e-6 * static_cast<double>(options.floats) * (options.models + 1) * options.clients;
  const double median = median_of(seconds);
  fmt::print(
      "{} clients, {} floats, {} down and 1 up, {}: {:.3f} s a round (median of {}, {:.0f} MB: {:.0f} MB/s), "
      "{:.0f} MB at the server at most, {:.1f} KB a connection\n",
      options.clients, options.floats, options.models, options.tls ? "TLS" : "plaintext", median,
      options.rounds, megabytes, megabytes / median, resident_mb(),
      (joined - before) * 1024 / options.clients);
  server->close("done");
  if (!options.raw) return;
  raw.wait_for(static_cast<std::size_t>(options.clients));
  std::vector<double> raw_seconds;
  for (int round = 0; round < options.rounds; ++round) {
    const auto begin = Clock::now();
    raw.round();
    raw_seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  raw.end();
  const double reference = median_of(raw_seconds);
  fmt::print(
      "the same bytes over plain streams of gRPC: {:.3f} s a round ({:.0f} MB/s); a round reaches {:.0f} % "
      "of it\n",
      reference, megabytes / reference, 100 * reference / median);
}

int bench(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view one = argv[i];
    const auto number = [&] { return std::atoi(++i < argc ? argv[i] : "0"); };
    if (one == "--clients") options.clients = number();
    if (one == "--floats") options.floats = static_cast<std::size_t>(number());
    if (one == "--models") options.models = number();
    if (one == "--rounds") options.rounds = number();
    if (one == "--processes") options.processes = number();
    if (one == "--tls") options.tls = true;
    if (one == "--raw") options.raw = true;
  }
  raise_limit_of_files(options.clients);
  // Before gRPC has threads of its own.
  std::vector<int> to_children;
  for (int process = 0; process < options.processes; ++process) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    if (fork() == 0) {
      close(ends[1]);
      be_clients(options, process, ends[0]);
      _exit(0);
    }
    close(ends[0]);
    to_children.push_back(ends[1]);
  }
  serve(options, to_children);
  while (wait(nullptr) > 0) {
  }
  return 0;
}

}  // namespace
}  // namespace coterie

int main(int argc, char** argv) { return coterie::bench(argc, argv); }
