// One ask in flight, as fleets see it: what each client is sent, and what becomes of its reply.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fleet.h"

namespace coterie {

// What became of one client's reply.
struct Outcome {
  std::string refused;  // the reason, or "" when the reply was folded
  Size up;
};

// What came of an ask, as one worker saw it. Clients are entered as their replies come.
struct Desk {
  std::vector<ClientId> accepted;
  std::vector<std::pair<ClientId, std::string>> refused;  // with the reason
  Size down;
  Size up;
  // Between processes that know the cohort: whoever was not refused was accepted.
  void fields(Archive& a) { a(refused, down, up); }
};

// What the desks of all processes say, in each of them: so all close an ask with the same books, and go on or
// fail alike. Every client of the cohort (ascending) is on one of them.
Desk merge_desks(const std::vector<Desk>& own, std::span<const ClientId> cohort, Peers& peers);

class Errand {
 public:
  Errand(const AnyJob& job, const Shelf& shelf, std::function<Letter(ClientId)> letter_to,
         std::vector<AnyFold*> folds);
  virtual ~Errand() = default;

  const std::string& job() const { return job_.name(); }
  const Shelf& shelf() const { return shelf_; }
  // What this client is sent, with its note rounded to what would arrive.
  Letter letter(ClientId client, Precision precision) const;
  // A reply that came as bytes; throws MalformedMessage.
  std::unique_ptr<Message> decode(std::span<const std::byte> reply, Precision precision) const;

  // Memory that one reply takes until the ask is over.
  std::uint64_t bytes_each() const;
  virtual void open(unsigned workers);
  // Checks a reply and folds it, or says why not. One call at a time for each worker.
  virtual Outcome fold(ClientId client, Message& reply, Precision precision, unsigned worker);
  virtual std::vector<Outcome> fold_block(std::span<const ClientId> clients,
                                          std::vector<std::unique_ptr<Message>>& replies, Precision precision,
                                          unsigned worker);
  virtual void merge(Peers& peers);
  virtual void close();

 private:
  // Rounds a reply and finds out whether it can be folded.
  Outcome check_reply(ClientId client, Message& reply, Precision precision) const;

  const AnyJob& job_;
  const Shelf& shelf_;
  std::function<Letter(ClientId)> letter_to_;
  std::vector<AnyFold*> folds_;
};

}  // namespace coterie
