// Jobs, notes and replies with their types erased, as fleets, folds and client programs see them.
#pragma once

#include <memory>
#include <string>
#include <typeinfo>
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
  check(typeid(message) == typeid(MessageOf<T>),
        "server and client disagree about the type of a job's messages");
  return static_cast<MessageOf<T>&>(message).content;
}

// What one client is sent: which items of the shelf, and a note for it alone.
struct Letter {
  Items items;
  std::unique_ptr<Message> note;
};

// A kind of work with its types erased.
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

}  // namespace coterie
