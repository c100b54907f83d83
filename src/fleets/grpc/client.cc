#include "fleets/grpc/client.h"

#include <fmt/format.h>

#include "base/disk.h"
#include "base/plugins.h"
#include "base/text.h"

namespace coterie::net {

Client::Client(std::string name, Open open, std::string state_file, Conduct& conduct)
    : name_(std::move(name)), open_(std::move(open)), states_(std::move(state_file)), conduct_(conduct) {}

void Client::stop() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  if (context_ != nullptr) context_->TryCancel();
}

Client::End Client::hold(const std::shared_ptr<grpc::ChannelInterface>& channel, std::string& why) {
  let_in_ = false;
  grpc::ClientContext context;
  {
    const std::lock_guard guard(mutex_);
    if (stopped_) return End::stopped;
    context_ = &context;
  }
  const std::unique_ptr<Stream> stream = net::hold(channel, context);
  FromClient hello;
  hello.mutable_hello()->set_protocol(kProtocol);
  hello.mutable_hello()->set_version(engine_version());
  hello.mutable_hello()->set_name(name_);
  // While columns are agreed on a run has the name that it may keep, but its data is not yet what it will be.
  if (setup_ && !setup_->draft()) {
    hello.mutable_hello()->set_run(setup_->run());
    for (const ItemName item : items_) hello.mutable_hello()->add_items(item);
  }
  End end = End::broken;
  item_.reset();
  order_.reset();
  try {
    bool going = write(*stream, hello);
    FromServer message;
    while (going && read(*stream, message)) {
      switch (message.what_case()) {
        case FromServer::kReading: {
          let_in_ = true;
          read_data(message.reading().text());
          FromClient told;
          Introduction own = data_->told();
          const Bytes bytes = encode(own, Precision::f64);
          told.set_told(bytes.data(), bytes.size());
          going = write(*stream, told);
          break;
        }
        case FromServer::kSetup:
          set_up(message.setup());
          break;
        case FromServer::kItem:
          item_ = message.item();
          incoming_.expect(item_->size());
          break;
        case FromServer::kOrder:
          order_ = message.order();
          incoming_.expect(order_->size());
          break;
        case FromServer::kPiece:
          if ((!item_ && !order_) || !incoming_.add(message.piece()))
            throw Error("the server sent bytes that it did not announce");
          if (!incoming_.whole()) break;
          if (item_) {
            take_item();
          } else {
            take_order(*stream, incoming_.take());
          }
          break;
        case FromServer::kOver:
          why = message.over().why();
          end = End::over;
          break;
        case FromServer::kRefusal:
          why = message.refusal().why();
          end = message.refusal().final() ? End::refused : End::broken;
          break;
        case FromServer::WHAT_NOT_SET:
          break;
      }
    }
  } catch (const MalformedMessage&) {
    // It did not arrive whole; the server sends it again on a new line.
    why = "what the server sent came damaged";
    context.TryCancel();
  } catch (const Error& e) {
    why = e.what();
    end = End::refused;
    context.TryCancel();
  } catch (...) {
    const std::lock_guard guard(mutex_);
    context_ = nullptr;
    throw;
  }
  if (end != End::refused) stream->WritesDone();
  const grpc::Status status = finish(*stream);
  const std::lock_guard guard(mutex_);
  context_ = nullptr;
  if (stopped_) return End::stopped;
  if (end == End::broken && why.empty()) why = status.error_message();
  if (end == End::broken && status.error_code() == grpc::StatusCode::PERMISSION_DENIED) return End::refused;
  return end;
}

void Client::read_data(const std::string& text) {
  if (data_ != nullptr && text == reading_) return;
  // Whatever was set up works on the data of before.
  host_.reset();
  program_.reset();
  setup_.reset();
  items_.clear();
  data_ = open_(text);
  reading_ = text;
}

void Client::set_up(const Setup& setup) {
  // The run that it was in goes on, on a new line. Where clients scale their own columns, agreeing on them
  // changes nothing but that the rows are raw no longer.
  if (setup_ && setup_->run() == setup.run() && setup_->client() == setup.client() &&
      setup_->draft() == setup.draft())
    return;
  if (data_ == nullptr) throw Error("the server sets up a run before it has said how data is read");
  if (const std::string why = conduct_.refuse_program(setup); !why.empty()) throw Error(why);
  auto program = std::make_shared<const ClientProgram>(setup.program(), setup.agreement(), setup.life());
  if (program->run() != setup.run())
    throw Error("the server's run is not what its program and agreement say");
  Agreement agreement = program->agreement();
  if (agreement.table) agreement.table->draft = setup.draft();
  data_->agree(setup.client(), agreement, {setup.classes().begin(), setup.classes().end()});
  // In a new life of the run it goes on with the states that it has.
  const std::uint64_t base = run_name(setup.program(), setup.agreement());
  const bool same = host_ != nullptr && base == base_ && setup_->client() == setup.client();
  ClientHost::States states = same ? host_->states(setup.client()) : states_.load(base);
  base_ = base;
  host_ = std::make_unique<ClientHost>(program, *data_);
  host_->restore(setup.client(), std::move(states));
  host_->on_work([this](const OrderMessage& order, const Shelf& shelf, ClientView& view) {
    conduct_.worked(*program_, order, shelf, view);
  });
  program_ = std::move(program);
  setup_ = setup;
  conduct_.set_up(setup);
  items_.clear();
}

void Client::take_item() {
  const ItemName name = item_->name();
  item_.reset();
  if (!host_) throw Error("the server sends an item before it has set up a run");
  host_->take_item(name, incoming_.take());
  items_.insert(name);
}

void Client::take_order(Stream& stream, const Bytes& order) {
  const Order head = *order_;
  order_.reset();
  if (!host_) throw Error("the server sends an order before it has set up a run");
  host_->keep_from(setup_->client(), head.keep_from());
  for (const ItemName name : head.forget()) {
    host_->forget_item(name);
    items_.erase(name);
  }
  reply(stream, work(order));
}

Bytes Client::work(const Bytes& bytes) {
  const OrderMessage order = open_order(bytes, program_->precision());
  const std::string why = conduct_.refuse(order.header);
  Bytes answer;
  if (why.empty() && order.header.client == setup_->client()) {
    answer = host_->answer(bytes);
  } else {
    ReplyMessage refusal{order.header, why.empty() ? "the order is for another client" : why, {}};
    answer = seal(refusal, program_->precision());
  }
  if (order.header.next != 0) states_.save(base_, host_->states(setup_->client()));
  conduct_.answered(order.header, answer.size());
  return answer;
}

bool Client::reply(Stream& stream, const Bytes& bytes) {
  FromClient message;
  const std::size_t first = std::min(kFirst, bytes.size());
  message.mutable_reply()->set_size(bytes.size());
  message.mutable_reply()->set_first(bytes.data(), first);
  if (!write(stream, message)) return false;
  for (std::size_t at = first; at < bytes.size(); at += kPiece) {
    message.set_piece(bytes.data() + at, std::min(kPiece, bytes.size() - at));
    if (!write(stream, message)) return false;
  }
  return true;
}

// --- states
// -------------------------------------------------------------------------------------------------

namespace {

struct SavedStates {
  std::uint64_t run = 0;
  std::vector<std::pair<std::uint32_t, Bytes>> states;
  void fields(Archive& a) { a(run, states); }
};

}  // namespace

ClientHost::States StateFile::load(std::uint64_t run) const {
  if (path_.empty() || !is_file(path_)) return {};
  try {
    const std::string text = read_file(path_);
    const auto saved =
        decode<SavedStates>(std::as_bytes(std::span(text.data(), text.size())), Precision::f64);
    if (saved.run == run) return {saved.states.begin(), saved.states.end()};
  } catch (const MalformedMessage&) {
    // Written atomically, so somebody else changed it. It begins anew, and the server hears of it.
  }
  return {};
}

void StateFile::save(std::uint64_t run, const ClientHost::States& states) const {
  if (path_.empty()) return;
  SavedStates saved{run, {states.begin(), states.end()}};
  const Bytes bytes = encode(saved, Precision::f64);
  make_folders(folder_of(path_));
  write_atomically(path_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace coterie::net
