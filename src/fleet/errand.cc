#include "fleet/errand.h"

#include <algorithm>

namespace coterie {

Errand::Errand(const AnyJob& job, const Shelf& shelf, std::function<Letter(ClientId)> letter_to,
               std::vector<AnyFold*> folds)
    : job_(job), shelf_(shelf), letter_to_(std::move(letter_to)), folds_(std::move(folds)) {}

Letter Errand::letter(ClientId client, Precision precision) const {
  Letter letter = letter_to_(client);
  Archive::rounder(precision)(*letter.note);
  return letter;
}

std::unique_ptr<Message> Errand::decode(std::span<const std::byte> reply, Precision precision) const {
  std::unique_ptr<Message> message = job_.blank_reply();
  Archive a = Archive::reader(reply, precision);
  a(*message);
  a.expect_end();
  return message;
}

std::uint64_t Errand::bytes_each() const {
  std::uint64_t bytes = 0;
  for (const AnyFold* fold : folds_) bytes += fold->bytes_each();
  return bytes;
}

void Errand::open(unsigned workers) {
  for (AnyFold* fold : folds_) fold->open(workers);
}

Outcome Errand::fold(ClientId client, Message& reply, Precision precision, unsigned worker) {
  Outcome outcome = check_reply(client, reply, precision);
  if (!outcome.refused.empty()) return outcome;
  for (AnyFold* fold : folds_) fold->add(worker, client, reply);
  return outcome;
}

std::vector<Outcome> Errand::fold_block(std::span<const ClientId> clients,
                                        std::vector<std::unique_ptr<Message>>& replies, Precision precision,
                                        unsigned worker) {
  check(replies.size() == clients.size(), "a block must answer for each of its clients");
  std::vector<Outcome> outcomes;
  std::vector<std::pair<ClientId, Message*>> good;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    outcomes.push_back(check_reply(clients[i], *replies[i], precision));
    if (outcomes.back().refused.empty()) good.emplace_back(clients[i], replies[i].get());
  }
  for (AnyFold* fold : folds_) fold->add_block(worker, good);
  return outcomes;
}

Outcome Errand::check_reply(ClientId client, Message& reply, Precision precision) const {
  Outcome outcome;
  outcome.up = encoded_size(reply, precision);
  Archive rounder = Archive::rounder(precision);
  rounder(reply);
  if (rounder.not_finite() > 0) {
    outcome.refused = "its reply has " + std::to_string(rounder.not_finite()) + " values that are not finite";
    return outcome;
  }
  for (const AnyFold* fold : folds_) {
    outcome.refused = fold->refuse(client, reply);
    if (!outcome.refused.empty()) return outcome;
  }
  return outcome;
}

void Errand::merge(Peers& peers) {
  for (AnyFold* fold : folds_) fold->merge(peers);
}

void Errand::close() {
  for (AnyFold* fold : folds_) fold->close();
}

Desk merge_desks(const std::vector<Desk>& own, std::span<const ClientId> cohort, Peers& peers) {
  const auto add = [](const Desk& from, Desk& to) {
    to.refused.insert(to.refused.end(), from.refused.begin(), from.refused.end());
    to.down += from.down;
    to.up += from.up;
  };
  Desk mine, all;
  for (const Desk& desk : own) add(desk, mine);
  for (const Bytes& one : peers.gather(encode(mine, Precision::f64))) {
    add(decode<Desk>(one, Precision::f64), all);
  }
  std::sort(all.refused.begin(), all.refused.end());
  auto next = all.refused.begin();
  all.accepted.reserve(cohort.size());
  for (const ClientId client : cohort) {
    while (next != all.refused.end() && next->first < client) ++next;
    if (next == all.refused.end() || next->first != client) all.accepted.push_back(client);
  }
  return all;
}

}  // namespace coterie
