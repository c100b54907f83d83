#include "fleets/grpc/line.h"

#include <fmt/format.h>

#include "fleet/introduction.h"

namespace coterie::net {

Line::Line(Hub& hub, grpc::CallbackServerContext& context, std::string certified)
    : hub_(hub), context_(context), certified_(std::move(certified)) {
  const std::lock_guard guard(hub_.lock());
  hub_.came(*this);
  StartRead(&in_);
}

void Line::send(Frame frame) {
  if (ending_ || finished_) return;
  hub_.watch().sent(frame.Length());
  out_.push_back(std::move(frame));
  write();
}

void Line::write() {
  if (writing_ || finished_) return;
  if (!out_.empty()) {
    writing_ = true;
    StartWrite(&out_.front());
  } else if (ending_) {
    finish();
  }
}

void Line::refuse(const std::string& why, bool final) {
  hub_.watch().event("refused", name_.empty() ? peer() : name_, why);
  FromServer message;
  message.mutable_refusal()->set_why(why);
  message.mutable_refusal()->set_final(final);
  send(message);
  end();
}

void Line::end() {
  if (!ending_) moved = Clock::now();
  ending_ = true;
  write();
}

void Line::finish() {
  if (finished_) return;
  finished_ = true;
  Finish(grpc::Status::OK);
}

void Line::OnWriteDone(bool ok) {
  const std::lock_guard guard(hub_.lock());
  writing_ = false;
  if (!out_.empty()) out_.pop_front();
  if (!ok) return finish();
  if (ending_) moved = Clock::now();
  write();
}

void Line::OnReadDone(bool ok) {
  FromClient message;
  const bool known = ok && parse(in_, message);  // takes time, so it is not done under the lock
  const std::lock_guard guard(hub_.lock());
  if (!ok || finished_) return finish();
  hub_.watch().received(in_.Length());
  in_.Clear();
  if (!known) return refuse("it is no message of this protocol", true);
  if (ending_) return read();
  try {
    if (handle(message)) read();
  } catch (const std::exception& e) {  // memory too: a stream's fault ends that stream
    refuse(e.what(), true);
    read();
  }
}

// Also of one that waits for room, with nothing under way that would notice.
void Line::OnCancel() {
  const std::lock_guard guard(hub_.lock());
  finish();
}

bool Line::handle(const FromClient& message) {
  switch (message.what_case()) {
    case FromClient::kHello: {
      if (stage != Stage::hello) throw Error("a second hello");
      name_ = certified_.empty() ? message.hello().name() : certified_;
      bool final = true;
      const std::string why = hub_.refuse(*this, message.hello(), final);
      if (!why.empty()) {
        refuse(why, final);
        return true;
      }
      if (message.hello().visit()) {
        FromServer over;
        over.mutable_over()->set_why("welcome, " + name_);
        send(over);
        end();
        return true;
      }
      if (message.hello().newcomer()) {
        hub_.send_welcome(*this);
        return true;
      }
      run = message.hello().run();
      held = {message.hello().items().begin(), message.hello().items().end()};
      hub_.greet(*this);
      return true;
    }
    case FromClient::kTold: {
      if (stage != Stage::asked) throw Error("it tells what it was not asked");
      if (--invited > 0) return true;  // it was asked again since, and will tell again
      const std::string& bytes = message.told();
      Introduction told =
          decode<Introduction>(std::as_bytes(std::span(bytes.data(), bytes.size())), Precision::f64);
      told.name = name_;
      hub_.told(*this, std::move(told));
      return true;
    }
    case FromClient::kReply:
      return take_reply(message.reply());
    case FromClient::kPiece:
      return take_piece(message.piece());
    case FromClient::WHAT_NOT_SET:
      break;
  }
  throw Error("a message without content");
}

bool Line::take_reply(const Reply& reply) {
  if (owed == 0 || reply_under_way_) throw Error("a reply to no order");
  if (static_cast<double>(reply.size()) > hub_.rules().largest * 1e9)
    throw Error(
        fmt::format("a reply of {} bytes; at most {} GB are taken", reply.size(), hub_.rules().largest));
  --owed;
  reply_under_way_ = true;
  reply_.expect(reply.size());
  if (!reply_.add(reply.first())) throw Error("more bytes than it announced");
  moved = Clock::now();
  if (!reply_.whole() && !hub_.may_receive(*this)) return false;
  return take_piece("");
}

bool Line::take_piece(const std::string& piece) {
  if (!reply_under_way_ || !reply_.add(piece)) throw Error("bytes that it did not announce");
  if (piece.size() >= kPiece || reply_.whole()) moved = Clock::now();  // a byte now and then is no progress
  if (reply_.whole()) {
    reply_under_way_ = false;
    hub_.arrived(*this, reply_.take());
  }
  return true;
}

void Line::OnDone() {
  {
    const std::lock_guard guard(hub_.lock());
    hub_.gone(*this);
  }
  delete this;
}

}  // namespace coterie::net
