// The fleet: the server asks a set of clients for some work and folds their replies. That is all that the
// methods of this field have in common, so it is the whole interface; no algorithm may know which kind of
// fleet it is on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fold.h"

namespace coterie {

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

// Bytes between server and clients since the run began. Payload, except for `overhead` (framing).
struct Traffic {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::uint64_t eval = 0;  // evaluation, both ways
  std::uint64_t overhead = 0;

  void fields(Archive& a) { a(up, down, eval, overhead); }
};

// Something worth a line in events.jsonl.
struct Event {
  std::uint32_t round = 0;
  std::string kind;  // "rejected", "empty-cluster", "split" ...
  std::optional<ClientId> client;
  std::string text;
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<ClientId> clients = {};  // whom it moved, where it did: a split, a merger
};

// A change to the state of all clients (a split, a removal). A client that was not asked since catches up:
// its next order carries the edits that came after its version.
struct Edit {
  std::uint32_t round = 0;
  Bytes what;
  void fields(Archive& a) { a(round, what); }
};

// Fewer clients gave a usable reply than fleet.quorum asks for.
class BelowQuorum : public Error {
 public:
  using Error::Error;
};

class Errand;
class Ledger;
struct Desk;

class Fleet {
 public:
  // Fleets that wrap another share its ledger.
  explicit Fleet(std::shared_ptr<Ledger> ledger);
  virtual ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // --- what a server may know ---------------------------------------------------------------------------
  std::size_t clients() const;                 // training clients: ids 0 .. clients()-1
  std::vector<ClientId> everyone() const;      // all of them
  std::size_t samples(ClientId client) const;  // n_i, its training samples
  Precision precision() const;
  // GB that the replies of one ask may take until it is over; an ask for more is refused.
  double memory() const;
  std::uint32_t round() const;

  // --- asking ---------------------------------------------------------------------------------------------
  // Asks every client of the cohort (ascending ids) and folds the replies; returns those whose reply was
  // accepted. A reply that is malformed, not finite or refused by a fold is left out, with an event; when
  // fewer than the quorum are left, BelowQuorum ends the run, and nothing is lost.
  template <class Note, class Reply, class NoteOf>
  std::vector<ClientId> ask(const Job<Note, Reply>& job, std::span<const ClientId> cohort, const Shelf& shelf,
                            NoteOf note_of, std::vector<Fold<Reply>*> folds) {
    return ask_any(AskKind::work, job, cohort, shelf, letters<Note>(note_of), {folds.begin(), folds.end()});
  }
  // The same without any effect on clients, streams or the byte counts of training; any role may be asked.
  template <class Note, class Reply, class NoteOf>
  std::vector<ClientId> ask_eval(const Job<Note, Reply>& job, std::span<const ClientId> cohort,
                                 const Shelf& shelf, NoteOf note_of, std::vector<Fold<Reply>*> folds) {
    return ask_any(AskKind::evaluate, job, cohort, shelf, letters<Note>(note_of),
                   {folds.begin(), folds.end()});
  }

  // Cuts asks into turns, for replies that would not all fit into memory at once: calls work(p) for each p
  // below `turns`. The k-th asks of all turns count as one ask. It has one number, so its streams do not
  // depend on the cut, and one quorum, checked after the last turn. No client may be asked in two turns, and
  // every turn makes the same number of asks, with an empty cohort if need be.
  void in_turns(std::size_t turns, const std::function<void(std::size_t)>& work);

  // For a start, which asks clients before the rounds. `work` calls begin(t, first_ask) before its asks of
  // round t; they have streams of their own and are numbered from `first_ask`. When `work` is over, the state
  // of every client is reset.
  using Begin = std::function<void(std::uint32_t round, std::uint16_t first_ask)>;
  void before_rounds(const std::function<void(const Begin& begin)>& work);

  // Calls work(i) for each i below `count`, on all threads of the server: for long work of the server itself
  // whose parts do not touch each other.
  virtual void spread(std::size_t count, const std::function<void(std::size_t)>& work);

  // Logs an edit that every client's state must undergo.
  virtual void edit(Bytes what);
  void report(Event event);

  // --- for the engine that runs the rounds --------------------------------------------------------------
  void begin_round(std::uint32_t round);
  Traffic& traffic();
  std::vector<Event> take_events();
  // The states of the clients (their last accepted versions) and the books, for checkpoints.
  virtual void save(Archive& a) = 0;
  virtual void load(Archive& a) = 0;

 protected:
  enum class AskKind : std::uint8_t {
    work,
    evaluate,
    rehearse,  // work that leaves no trace: it changes no state, byte count, event or quorum
  };
  // Opens the errand, brings what it says to the clients of the cohort, and their replies to its folds.
  virtual std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                                  const AskName& ask) = 0;
  // What another fleet's carry() does, for fleets that wrap it.
  static std::vector<Desk> carry_by(Fleet& inner, Errand& errand, std::span<const ClientId> cohort,
                                    AskKind kind, const AskName& ask);
  // Resets the state of every client.
  virtual void forget();
  Ledger& ledger() { return *ledger_; }
  static const std::shared_ptr<Ledger>& ledger_of(const Fleet& fleet) { return fleet.ledger_; }

 private:
  template <class Note, class NoteOf>
  static std::function<Letter(ClientId)> letters(NoteOf& note_of) {
    return [&note_of](ClientId client) {
      auto note = std::make_unique<MessageOf<Note>>(note_of(client));
      return Letter{note->content.items, std::move(note)};
    };
  }
  // Every ask goes through here.
  std::vector<ClientId> ask_any(AskKind kind, const AnyJob& job, std::span<const ClientId> cohort,
                                const Shelf& shelf, const std::function<Letter(ClientId)>& letter_to,
                                std::vector<AnyFold*> folds);

  std::shared_ptr<Ledger> ledger_;
};

}  // namespace coterie
