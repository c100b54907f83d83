// Jobs: the client halves of a method, and one ask of a job in flight.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/client.h"
#include "coterie/fold.h"

namespace coterie {

// A kind of work, as a remote client sees it: it finds the job by name and runs it on bytes.
class AnyJob {
 public:
  explicit AnyJob(std::string name) : name_(std::move(name)) {}
  virtual ~AnyJob() = default;
  const std::string& name() const { return name_; }
  // Decodes the note, works, encodes the reply.
  virtual Bytes run(const Shelf& shelf, std::span<const std::byte> note, ClientView& view) const = 0;
  // Shows the fields that its replies have, all of them empty.
  virtual void show_reply(FieldVisitor& visitor) const = 0;
  // Whether its vectors are about models that clients own, their own among them.
  virtual bool has_owners() const = 0;

 private:
  std::string name_;
};

// A client half: a pure function of what was sent and of what the client can see. Note and Reply list their
// fields for the wire; a Note has a member `Items items`, and may have functions for attacks to look at:
//   bool from_nothing() const     whether the vectors that it asks for are changes from nothing, such as
//                                 gradients, rather than models that were trained from what was sent
//   std::uint32_t group() const   in which group of the clients asked it is, where groups are worked on
//                                 apart: liars agree with those of their own
//   std::size_t own() const       which of the reply's vectors is about its own model, where others are about
//                                 those of others
template <class Note, class Reply>
class Job : public AnyJob {
 public:
  using Work = std::function<Reply(const Shelf&, const Note&, ClientView&)>;
  // The same work on a block of clients at once, for speed in simulation: the same bits.
  using BlockWork = std::function<std::vector<Reply>(const std::vector<Shelf>&, const std::vector<Note>&,
                                                     std::vector<ClientView>&)>;

  // `empty` has the fields that replies have, where these depend on the method's options.
  Job(std::string name, Work work, BlockWork block = nullptr, Reply empty = {})
      : AnyJob(std::move(name)), work(std::move(work)), block(std::move(block)), empty_(std::move(empty)) {}

  Bytes run(const Shelf& shelf, std::span<const std::byte> note, ClientView& view) const override {
    Note decoded = decode<Note>(note, view.precision());
    Reply reply = work(shelf, decoded, view);
    return encode(reply, view.precision());
  }

  void show_reply(FieldVisitor& visitor) const override {
    Reply empty = empty_;
    Archive::show(visitor)(empty);
  }

  bool has_owners() const override {
    return requires(const Note& note) { note.own(); };
  }

  Work work;
  BlockWork block;

 private:
  Reply empty_;
};

// Comes between the clients and the folds: sees every reply, and may change it (fleet/liars.h). Called by
// several workers at once, for different clients.
class Interceptor {
 public:
  virtual ~Interceptor() = default;
  // `show` shows the reply's fields to a visitor.
  virtual void intercept(ClientId client, const std::function<void(FieldVisitor&)>& show) = 0;
};

// What became of one client's turn.
struct Outcome {
  std::string refused;  // the reason, or "" when the reply was folded
  Size up;
};

// One ask in flight, with its types erased: what the implementations of Fleet work with.
class Errand {
 public:
  virtual ~Errand() = default;
  virtual const AnyJob& job() const = 0;
  virtual const Shelf& shelf() const = 0;
  virtual Items items(ClientId client) const = 0;
  virtual Bytes note(ClientId client, Precision precision) const = 0;
  virtual Size note_size(ClientId client, Precision precision) const = 0;
  virtual bool has_block() const = 0;
  // Memory that one reply takes until the ask is over.
  virtual std::uint64_t bytes_each() const = 0;
  virtual void open(unsigned workers) = 0;
  // In process: works and folds.
  virtual Outcome work(ClientView& view, unsigned worker) = 0;
  virtual std::vector<Outcome> work_block(std::vector<ClientView>& views, unsigned worker) = 0;
  // From elsewhere: decodes, checks and folds; what does not decode is refused.
  virtual Outcome receive(ClientId client, std::span<const std::byte> reply, Precision precision,
                          unsigned worker) = 0;
  virtual void close() = 0;
  // Whether this client's vectors are changes from nothing.
  virtual bool from_nothing(ClientId client) const = 0;
  // The group of the clients asked that it belongs to; 0 where there are none.
  virtual std::uint32_t group(ClientId client) const = 0;
  // Which of this client's vectors is about its own model; nothing where clients have none.
  virtual std::optional<std::size_t> own(ClientId client) const = 0;

  // In a rehearsal, replies go to the interceptor and no further: nothing is folded.
  void intercept_by(Interceptor* interceptor, bool rehearsal) {
    interceptor_ = interceptor;
    rehearsal_ = rehearsal;
  }

 protected:
  Interceptor* interceptor_ = nullptr;
  bool rehearsal_ = false;
};

// The errand of one job. In process, notes and replies are never encoded; rounding their vectors to the run's
// precision gives the bits that the wire would.
template <class Note, class Reply>
class ErrandOf : public Errand {
 public:
  ErrandOf(const Job<Note, Reply>& job, const Shelf& shelf, std::function<Note(ClientId)> note_of,
           std::vector<Fold<Reply>*> folds)
      : job_(job), shelf_(shelf), note_of_(std::move(note_of)), folds_(std::move(folds)) {}

  const AnyJob& job() const override { return job_; }
  const Shelf& shelf() const override { return shelf_; }
  Items items(ClientId client) const override { return note_of_(client).items; }
  bool from_nothing(ClientId client) const override {
    if constexpr (requires(const Note& note) { note.from_nothing(); }) {
      return note_of_(client).from_nothing();
    } else {
      return false;
    }
  }
  std::uint32_t group(ClientId client) const override {
    if constexpr (requires(const Note& note) { note.group(); }) {
      return note_of_(client).group();
    } else {
      return 0;
    }
  }
  std::optional<std::size_t> own(ClientId client) const override {
    if constexpr (requires(const Note& note) { note.own(); }) {
      return note_of_(client).own();
    } else {
      return std::nullopt;
    }
  }
  Bytes note(ClientId client, Precision precision) const override {
    Note note = note_of_(client);
    return encode(note, precision);
  }
  Size note_size(ClientId client, Precision precision) const override {
    Note note = note_of_(client);
    return encoded_size(note, precision);
  }
  bool has_block() const override { return job_.block != nullptr; }
  std::uint64_t bytes_each() const override {
    std::uint64_t bytes = 0;
    for (const auto* fold : folds_) bytes += fold->bytes_each();
    return bytes;
  }
  void open(unsigned workers) override {
    if (rehearsal_) return;
    for (auto* fold : folds_) fold->open(workers);
  }

  Outcome work(ClientView& view, unsigned worker) override {
    Note note = note_for(view);
    Reply reply = job_.work(shelf_.only(note.items), note, view);
    return fold(view.id(), reply, view.precision(), worker);
  }
  std::vector<Outcome> work_block(std::vector<ClientView>& views, unsigned worker) override {
    std::vector<Note> notes;
    std::vector<Shelf> shelves;
    for (auto& view : views) {
      notes.push_back(note_for(view));
      shelves.push_back(shelf_.only(notes.back().items));
    }
    std::vector<Reply> replies = job_.block(shelves, notes, views);
    check(replies.size() == views.size(), "a block must answer for each of its clients");
    std::vector<Outcome> outcomes;
    std::vector<std::pair<ClientId, Reply*>> good;
    for (std::size_t i = 0; i < views.size(); ++i) {
      outcomes.push_back(judge(views[i].id(), replies[i], views[i].precision()));
      if (outcomes.back().refused.empty()) good.emplace_back(views[i].id(), &replies[i]);
    }
    if (rehearsal_) return outcomes;
    for (auto* fold : folds_) fold->add_block(worker, good);
    return outcomes;
  }
  Outcome receive(ClientId client, std::span<const std::byte> bytes, Precision precision,
                  unsigned worker) override {
    try {
      Reply reply = decode<Reply>(bytes, precision);
      return fold(client, reply, precision, worker);
    } catch (const MalformedMessage& e) {
      return {std::string("its reply is malformed: ") + e.what(), {}};
    }
  }
  void close() override {
    if (rehearsal_) return;
    for (auto* fold : folds_) fold->close();
  }

 private:
  Note note_for(const ClientView& view) const {
    Note note = note_of_(view.id());
    Archive::rounder(view.precision())(note);
    return note;
  }
  Outcome fold(ClientId client, Reply& reply, Precision precision, unsigned worker) {
    Outcome outcome = judge(client, reply, precision);
    if (!outcome.refused.empty() || rehearsal_) return outcome;
    for (auto* fold : folds_) fold->add(worker, client, reply);
    return outcome;
  }
  // Rounds the reply and finds out whether it can be folded. An interceptor meets what would arrive, and what
  // it sends instead travels too.
  Outcome judge(ClientId client, Reply& reply, Precision precision) const {
    Outcome outcome;
    outcome.up = encoded_size(reply, precision);
    Archive rounder = Archive::rounder(precision);
    rounder(reply);
    if (interceptor_ != nullptr) {
      interceptor_->intercept(client, [&](FieldVisitor& visitor) { Archive::show(visitor)(reply); });
      rounder = Archive::rounder(precision);
      rounder(reply);
    }
    if (rehearsal_) return outcome;
    if (rounder.not_finite() > 0) {
      outcome.refused =
          "its reply has " + std::to_string(rounder.not_finite()) + " values that are not finite";
      return outcome;
    }
    for (const auto* fold : folds_) {
      outcome.refused = fold->refuse(client, reply);
      if (!outcome.refused.empty()) return outcome;
    }
    return outcome;
  }

  const Job<Note, Reply>& job_;
  const Shelf& shelf_;
  std::function<Note(ClientId)> note_of_;
  std::vector<Fold<Reply>*> folds_;
};

}  // namespace coterie
