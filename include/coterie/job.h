// Jobs: the client halves of a method. Both sides know a job by its name; notes go down, replies come back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coterie/client.h"

namespace coterie {

// A note or a reply of any type: whatever lists its fields can travel.
class Message {
 public:
  virtual ~Message() = default;
  virtual void fields(Archive& a) = 0;
};
template <class T>
class MessageOf final : public Message {
 public:
  explicit MessageOf(T content = {}) : content(std::move(content)) {}
  void fields(Archive& a) override { a(content); }
  T content;
};
// What a message holds; a failed check when it is of another type.
template <class T>
T& content_of(Message& message) {
  auto* typed = dynamic_cast<MessageOf<T>*>(&message);
  check(typed != nullptr, "server and client disagree about the type of a job's messages");
  return typed->content;
}

// A kind of work with its types erased, as fleets and client programs see it.
class AnyJob {
 public:
  explicit AnyJob(std::string name) : name_(std::move(name)) {}
  virtual ~AnyJob() = default;
  const std::string& name() const { return name_; }
  // Messages to decode into. A blank reply has the fields that replies have.
  virtual std::unique_ptr<Message> blank_note() const = 0;
  virtual std::unique_ptr<Message> blank_reply() const = 0;
  virtual std::unique_ptr<Message> work(const Shelf& shelf, Message& note, ClientView& view) const = 0;
  // The same work on a block of clients at once, where has_block().
  virtual bool has_block() const = 0;
  virtual std::vector<std::unique_ptr<Message>> work_block(const std::vector<Shelf>& shelves,
                                                           std::vector<std::unique_ptr<Message>>& notes,
                                                           std::vector<ClientView>& views) const = 0;

 private:
  std::string name_;
};

// A client half: a pure function of what was sent and of what the client can see. Note and Reply list their
// fields for the wire; a Note has a member `Items items`.
template <class Note, class Reply>
class Job : public AnyJob {
 public:
  using Work = std::function<Reply(const Shelf&, const Note&, ClientView&)>;
  // The same work on a block of clients at once, for speed in simulation: the same bits.
  using BlockWork = std::function<std::vector<Reply>(const std::vector<Shelf>&, const std::vector<Note>&,
                                                     std::vector<ClientView>&)>;

  // `empty` has the fields that replies have, where these depend on the method's options.
  Job(std::string name, Work work, BlockWork block = nullptr, Reply empty = {})
      : AnyJob(std::move(name)), work_(std::move(work)), block_(std::move(block)), empty_(std::move(empty)) {}

  std::unique_ptr<Message> blank_note() const override { return std::make_unique<MessageOf<Note>>(); }
  std::unique_ptr<Message> blank_reply() const override { return std::make_unique<MessageOf<Reply>>(empty_); }
  std::unique_ptr<Message> work(const Shelf& shelf, Message& note, ClientView& view) const override {
    return std::make_unique<MessageOf<Reply>>(work_(shelf, content_of<Note>(note), view));
  }
  bool has_block() const override { return block_ != nullptr; }
  std::vector<std::unique_ptr<Message>> work_block(const std::vector<Shelf>& shelves,
                                                   std::vector<std::unique_ptr<Message>>& notes,
                                                   std::vector<ClientView>& views) const override {
    std::vector<Note> typed;
    for (auto& note : notes) typed.push_back(std::move(content_of<Note>(*note)));
    std::vector<std::unique_ptr<Message>> replies;
    for (Reply& reply : block_(shelves, typed, views)) {
      replies.push_back(std::make_unique<MessageOf<Reply>>(std::move(reply)));
    }
    return replies;
  }

 private:
  Work work_;
  BlockWork block_;
  Reply empty_;
};

}  // namespace coterie
