// A client of the test's own making that works as others do, but answers as a script says.
#pragma once

#include <coterie.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "base/plugins.h"
#include "fleet/client_host.h"
#include "fleet/client_program.h"
#include "grpc/world.h"

namespace coterie {

// What becomes of an order.
enum class Act {
  answer,
  ignore,
  twice,   // answered, and answered once more
  replay,  // the answer to the first order is sent again
  half,    // a reply is announced, and does not come
  late,    // after a while
};

class Puppet {
 public:
  // `script`: what to do with each order, counted from 0.
  Puppet(const NetworkWorld& world, std::string name, std::function<Act(int)> script,
         std::chrono::milliseconds late = std::chrono::milliseconds(0))
      : world_(world), name_(std::move(name)), script_(std::move(script)), late_(late), thread_([this] {
          run();
        }) {}
  ~Puppet() {
    over_ = true;
    {
      const std::lock_guard guard(mutex_);
      if (context_ != nullptr) context_->TryCancel();
    }
    thread_.join();
  }
  int orders() const { return orders_; }
  // What the server said when it ended the stream.
  std::string refusal() const {
    const std::lock_guard guard(mutex_);
    return refusal_;
  }

 private:
  using Stream = grpc::ClientReaderWriter<v1::FromClient, v1::FromServer>;

  void run() {
    while (world_.port == 0 && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    grpc::SslCredentialsOptions keys;
    keys.pem_root_certs = read_file(world_.file("certs/ca.crt"));
    keys.pem_cert_chain = read_file(world_.file("certs/" + name_ + ".crt"));
    keys.pem_private_key = read_file(world_.file("certs/" + name_ + ".key"));
    grpc::ChannelArguments own;
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(world_.port),
                                                   grpc::SslCredentials(keys), own);
    const auto stub = v1::Federation::NewStub(channel);
    grpc::ClientContext context;
    {
      const std::lock_guard guard(mutex_);
      if (over_) return;
      context_ = &context;
    }
    const auto stream = stub->Hold(&context);
    v1::FromClient hello;
    hello.mutable_hello()->set_protocol(1);
    hello.mutable_hello()->set_version(engine_version());
    stream->Write(hello);
    for (v1::FromServer message; !over_ && stream->Read(&message);) take(*stream, message);
    stream->WritesDone();
    for (v1::FromServer rest; stream->Read(&rest);) {
    }
    stream->Finish();
    const std::lock_guard guard(mutex_);
    context_ = nullptr;
  }

  void take(Stream& stream, const v1::FromServer& message) {
    if (message.has_reading()) {
      data_ = open_own_data(message.reading().text(), {world_.data_of(name_), std::nullopt});
      Introduction own = data_->told();
      const Bytes bytes = encode(own, Precision::f64);
      v1::FromClient told;
      told.set_told(bytes.data(), bytes.size());
      stream.Write(told);
    } else if (message.has_setup()) {
      const v1::Setup& setup = message.setup();
      program_ = std::make_shared<ClientProgram>(setup.program(), setup.agreement(), setup.life());
      data_->agree(setup.client(), program_->agreement(), {setup.classes().begin(), setup.classes().end()});
      host_ = std::make_unique<ClientHost>(program_, *data_);
    } else if (message.has_item() || message.has_order()) {
      item_ = message.has_item() ? std::optional(message.item().name()) : std::nullopt;
      left_ = item_ ? message.item().size() : message.order().size();
      bytes_.clear();
      for (const ItemName name : message.order().forget()) host_->forget_item(name);
    } else if (message.has_piece()) {
      const auto* begin = reinterpret_cast<const std::byte*>(message.piece().data());
      bytes_.insert(bytes_.end(), begin, begin + message.piece().size());
      left_ -= message.piece().size();
      if (left_ == 0 && item_) host_->take_item(*item_, bytes_);
      if (left_ == 0 && !item_) obey(stream);
    } else if (message.has_refusal()) {
      const std::lock_guard guard(mutex_);
      refusal_ = message.refusal().why();
    } else if (message.has_over()) {
      over_ = true;
    }
  }

  void obey(Stream& stream) {
    const Act act = script_(orders_++);
    if (act == Act::ignore) return;
    if (act == Act::replay) return reply(stream, first_);
    if (act == Act::late) std::this_thread::sleep_for(late_);
    const Bytes answer = host_->answer(bytes_);
    if (first_.empty()) first_ = answer;
    reply(stream, answer, act == Act::half);
    if (act == Act::twice) reply(stream, answer);
  }

  static void reply(Stream& stream, const Bytes& bytes, bool half = false) {
    v1::FromClient message;
    const std::size_t first = std::min<std::size_t>(half ? bytes.size() / 2 : bytes.size(), 16 << 10);
    message.mutable_reply()->set_size(bytes.size());
    message.mutable_reply()->set_first(bytes.data(), first);
    stream.Write(message);
    constexpr std::size_t kPiece = 256 << 10;
    for (std::size_t at = first; !half && at < bytes.size(); at += kPiece) {
      message.set_piece(bytes.data() + at, std::min(kPiece, bytes.size() - at));
      stream.Write(message);
    }
  }

  const NetworkWorld& world_;
  const std::string name_;
  const std::function<Act(int)> script_;
  const std::chrono::milliseconds late_;
  std::unique_ptr<OwnData> data_;
  std::shared_ptr<const ClientProgram> program_;
  std::unique_ptr<ClientHost> host_;
  std::optional<ItemName> item_;
  std::uint64_t left_ = 0;
  Bytes bytes_, first_;
  std::atomic<int> orders_{0};
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  std::string refusal_;
  std::thread thread_;
};

}  // namespace coterie
