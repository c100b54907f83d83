// The fleet: the server asks a set of clients for some work and folds their replies. That is all that the
// methods of this field have in common, so it is the whole interface; no algorithm may know which kind of
// fleet it is on.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/job.h"

namespace coterie {

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

// A change to the state of all clients (a split, a removal). Clients that were not asked since catch up: the
// next ask of a client carries the edits that came after its version.
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

class Liars;

class Fleet {
 public:
  virtual ~Fleet() = default;

  // --- what a server may know ---------------------------------------------------------------------------
  virtual std::size_t clients() const = 0;                 // training clients: ids 0 .. clients()-1
  std::vector<ClientId> everyone() const;                  // all of them
  virtual std::size_t samples(ClientId client) const = 0;  // n_i, its training samples
  virtual Precision precision() const = 0;
  // GB that the replies of one ask may take until it is over; an ask for more is refused.
  double memory() const { return memory_; }
  std::uint32_t round() const { return round_; }

  // --- asking ---------------------------------------------------------------------------------------------
  // Asks every client of the cohort (ascending ids) and folds the replies; returns those whose reply was
  // accepted. A reply that is malformed, not finite or refused by a fold is left out, with an event; when
  // fewer than the quorum are left, BelowQuorum ends the run, and nothing is lost.
  template <class Note, class Reply, class NoteOf>
  std::vector<ClientId> ask(const Job<Note, Reply>& job, std::span<const ClientId> cohort, const Shelf& shelf,
                            NoteOf note_of, std::vector<Fold<Reply>*> folds) {
    return ask_as(Kind::work, job, cohort, shelf, note_of, std::move(folds));
  }
  // The same without any effect on clients, streams or the byte counts of training; any role may be asked.
  template <class Note, class Reply, class NoteOf>
  std::vector<ClientId> ask_eval(const Job<Note, Reply>& job, std::span<const ClientId> cohort,
                                 const Shelf& shelf, NoteOf note_of, std::vector<Fold<Reply>*> folds) {
    return ask_as(Kind::evaluate, job, cohort, shelf, note_of, std::move(folds));
  }

  // Calls work(p) for each p below `parts`, where the k-th ask of every part is one ask of their cohorts
  // together, cut up because the replies of all would not fit into memory at once: it has one number, so that
  // its streams are the same however it was cut, and is held against the quorum as a whole, after the last
  // part. No client may be asked in two parts, and every part makes the same asks, if of nobody.
  virtual void in_parts(std::size_t parts, const std::function<void(std::size_t)>& work);

  // Calls work(i) for each i below `count`, on as many threads as the server has: for work of its own that
  // takes long and whose parts do not touch each other.
  virtual void share_out(std::size_t count, const std::function<void(std::size_t)>& work) {
    for (std::size_t i = 0; i < count; ++i) work(i);
  }

  // Logs an edit that every client's state must undergo.
  virtual void edit(Bytes what) = 0;
  void report(Event event) {
    event.round = round_;
    events_.push_back(std::move(event));
  }

  // --- for the engine that runs the rounds --------------------------------------------------------------
  // Trials of a start have streams of their own: purpose restart, with their own numbers of asks.
  void begin_round(std::uint32_t round, Purpose purpose = Purpose::work, std::uint16_t first_ask = 0) {
    round_ = round;
    purpose_ = purpose;
    ask_ = first_ask;
  }
  // Takes from every client, liars too, what it kept, as if no round had been.
  virtual void forget();
  // From now on these clients lie in what they are asked for, but for evaluation.
  void infiltrate(Liars& liars) { liars_ = &liars; }
  Traffic& traffic() { return traffic_; }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  // The states of the clients (their last accepted versions) and the edits log, for checkpoints.
  virtual void save(Archive& a) = 0;
  virtual void load(Archive& a) = 0;

 protected:
  // A rehearsal is work of which nothing stays: no state, no bytes, no events, no quorum.
  enum class Kind { work, evaluate, rehearse };
  virtual std::vector<ClientId> perform(Errand& errand, std::span<const ClientId> cohort, Kind kind,
                                        std::uint16_t ask) = 0;

  std::uint32_t round_ = 0;
  Purpose purpose_ = Purpose::work;
  std::uint16_t ask_ = 0;
  Traffic traffic_;
  std::vector<Event> events_;
  double memory_ = 4;

 private:
  template <class Note, class Reply, class NoteOf>
  std::vector<ClientId> ask_as(Kind kind, const Job<Note, Reply>& job, std::span<const ClientId> cohort,
                               const Shelf& shelf, NoteOf& note_of, std::vector<Fold<Reply>*> folds) {
    ErrandOf<Note, Reply> errand(job, shelf, note_of, std::move(folds));
    return carry_out(errand, cohort, kind);
  }
  // Performs an errand, past the liars among the clients, if there are any.
  std::vector<ClientId> carry_out(Errand& errand, std::span<const ClientId> cohort, Kind kind);

  Liars* liars_ = nullptr;
};

}  // namespace coterie
