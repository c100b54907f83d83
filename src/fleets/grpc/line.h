// One client's stream, as the server sees it. Its reactions run on gRPC's threads, under the hub's lock.
#pragma once

#include "fleets/grpc/hub.h"

namespace coterie::net {

class Line : public grpc::ServerBidiReactor<Frame, Frame> {
 public:
  Line(Hub& hub, grpc::CallbackServerContext& context, std::string certified);

  // --- under the hub's lock
  // ---------------------------------------------------------------------------------
  const std::string& certified() const { return certified_; }  // the name in its certificate; "" without one
  const std::string& name() const { return name_; }
  std::string peer() const { return context_.peer(); }
  void send(Frame frame);
  void send(const FromServer& message) { send(frame_of(message)); }
  // Says why, and ends the stream once that is sent.
  void refuse(const std::string& why, bool final);
  // Ends the stream once all is sent, or at once.
  void end();
  void finish();
  // Ends the stream at once.
  void cancel() { context_.TryCancel(); }
  bool ending() const { return ending_; }
  void read() {
    if (!finished_) StartRead(&in_);
  }

  enum class Stage {
    hello,    // it has not said who it is
    greeted,  // it may come in
    asked,    // it was told how to read its data
    joined,   // it has told of it
  };
  Stage stage = Stage::hello;
  std::optional<ClientId> number;  // in the setup that it was sent
  std::uint64_t run = 0;           // of that setup
  std::set<ItemName> held;         // items of the shelf
  std::size_t invited = 0;         // how often it was asked to tell of its data, and has not yet
  std::size_t owed = 0;            // replies to orders
  std::uint64_t ask = 0;           // the last of which it was sent an order
  bool receiving = false;          // a reply that has been let in
  // When a piece of it came last; before that, when it dialled; in the end, when it was last sent something.
  Clock::time_point moved = Clock::now();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone() override;
  void OnCancel() override;
  // False when a reply must wait before more of it is read.
  bool handle(const FromClient& message);
  bool take_reply(const Reply& reply);
  bool take_piece(const std::string& piece);
  void write();

  Hub& hub_;
  grpc::CallbackServerContext& context_;
  const std::string certified_;
  std::string name_;
  Frame in_;
  std::deque<Frame> out_;
  bool writing_ = false;
  bool ending_ = false;  // once all is sent
  bool finished_ = false;
  bool reply_under_way_ = false;
  Incoming reply_;
};

}  // namespace coterie::net
