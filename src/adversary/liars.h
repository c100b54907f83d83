// The liars of a run: they come between the clients and the folds of every ask, whatever the fleet, and put
// lies into the replies of the clients that lie. See coterie/attack.h.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"
#include "coterie/attack.h"
#include "fleet/errand.h"

namespace coterie {

// Why an attack has no meaning for a method with these jobs; "" if it has, or if there are none to tell by.
std::string pointless_attack(const AttackOptions& options, const std::string& algorithm,
                             const std::vector<const AnyJob*>& jobs);
// Throws Error for that reason, or when it has none for samples of this shape.
void check_attack(const AttackOptions& options, const std::string& algorithm,
                  const std::vector<const AnyJob*>& jobs, const Shape& shape);

class Liars {
 public:
  Liars(const AttackOptions& options, std::size_t clients, std::uint64_t seed);

  // Who they are, ascending.
  const std::vector<ClientId>& all() const { return all_; }

  // --- one ask, step by step ------------------------------------------------------------------------------
  // An ask begins. Returns the clients whose honest replies must be known before anybody answers.
  std::vector<ClientId> begin(const Errand& errand, std::span<const ClientId> cohort, const AskName& ask,
                              Precision precision);
  // Brings in what liars of other processes met: the replies of a rehearsal, or votes.
  void merge(Peers& peers);
  // Those replies went through meet(): now they agree on what to send.
  void agree(std::span<const ClientId> cohort);
  // A reply on its way to the folds: `show` shows its fields to a visitor, which may change them. Called by
  // several workers at once, for different clients.
  void meet(ClientId client, const std::function<void(FieldVisitor&)>& show);

  // Forgets the votes that they have seen.
  void forget() { votes_.assign(votes_.size(), kUnknownCluster); }
  // The votes they have seen; part of a checkpoint.
  void fields(Archive& a) { a(votes_); }

 private:
  // What a vector of a reply belongs to: liars agree with those whose vectors have the same place.
  struct Place {
    std::size_t field = 0;    // which of the reply's vectors it is
    std::size_t begun = 0;    // where its sender began: the place on the shelf, or its size for nothing
    std::uint32_t group = 0;  // of the clients asked
    std::uint32_t cluster = kUnknownCluster;  // that the sender of a change from nothing names
    auto operator<=>(const Place&) const = default;
    void fields(Archive& a) { a(field, begun, group, cluster); }
  };
  class Finder;
  class Listener;
  class Teller;

  // Where a client began that sends this vector, a trained model.
  std::size_t begun_at(ClientId client, const Vec& values) const;
  // Adds `factor` times where it began.
  void add_begun(double factor, std::size_t begun, Vec& values) const;
  // Those of a group that were sent an item of the shelf; beyond it: all of the group.
  Crowd sent(std::size_t item, std::uint32_t group, std::span<const ClientId> cohort) const;
  bool lies(ClientId client) const;
  std::optional<std::uint32_t> target() const;

  const AttackOptions& options_;
  const Attack& attack_;
  std::uint64_t seed_;
  std::vector<ClientId> all_;
  std::vector<std::uint32_t> votes_;         // last one of each client, kUnknownCluster before
  std::vector<std::uint32_t> votes_before_;  // the ask, where they matter

  // What an attack must know of the ask of one client.
  bool from_nothing(ClientId client) const;
  std::uint32_t crowd_of(ClientId client) const;
  std::optional<std::size_t> own(ClientId client) const;
  Items items(ClientId client) const;

  const Errand* errand_ = nullptr;
  const AttackTrait* trait_ = nullptr;  // of its job
  Precision precision_ = Precision::f64;
  AskName ask_;
  bool striking_ = false;
  bool listening_ = false;                                  // a rehearsal is going on
  std::vector<ClientId> rehearsing_;                        // whose honest replies are to be known
  std::vector<std::vector<std::pair<Place, Vec>>> honest_;  // what each of them would send
  std::map<Place, Vec> agreed_;
  std::optional<std::uint32_t> target_;  // the cluster that all of them name
};

}  // namespace coterie
