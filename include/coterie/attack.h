// Attacks: what clients that lie do. A share of the clients, chosen by the seed, lies in every reply from a
// given round on; everybody else stays honest.
//
// A vector of a reply is taken as a change from where its sender began. A gradient is a change from nothing
// (AttackTrait says so); a trained model is a change from the nearest of the vectors that the client was
// sent and of zero. So an attack need not know which method it meets. What clients tell about themselves
// (Archive::about_sender) is honest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/detail/job.h"
#include "coterie/options.h"
#include "coterie/random.h"
#include "coterie/registry.h"

namespace coterie {

// The clients whose vectors belong to one model. Liars do not know what honest clients do: they assume that
// the same share of everybody who was sent a model worked on it as of the liars who were.
struct Crowd {
  std::size_t clients = 0;
  std::size_t liars = 0;  // among them
  // The honest vector of the client who owns the model, where clients have models of their own and the liars
  // know it.
  const Vec* owner = nullptr;
};

class Attack {
 public:
  // Where it strikes, which says which of the functions below is called.
  enum class At {
    nowhere,
    changes,    // lie: each liar on its own
    agreement,  // agree: liars whose vectors belong to the same model all send one change
    votes,      // vote: liars all name one cluster
    data,       // poison: their training samples; what they send is honest work on those
  };

  virtual ~Attack() = default;
  virtual void options(Options& o) = 0;
  virtual At at() const = 0;

  // Turns a liar's honest change into what it sends.
  virtual void lie(Vec& change, Stream& stream) const;
  // The change that all liars send instead of their honest ones, which are given in order of client. For
  // this, each liar (and each owner that liars know of) is asked twice: first for what it would honestly
  // send, in a rehearsal that leaves no trace, then for its reply.
  virtual Vec agree(std::span<const Vec> changes, const Crowd& crowd) const;
  // Whether liars that agree know what the owner of a model would honestly send there.
  virtual bool knows_owners() const { return false; }
  // The cluster to name; `sizes` counts the last votes of honest clients, and is not empty. Nothing: no lie.
  virtual std::optional<std::uint32_t> vote(std::span<const std::size_t> sizes) const;
  virtual void poison(Samples& samples) const;
};

// What an attack must know of a job, declared beside the job by its name. A job without an entry trains
// models from what was sent, in one crowd, and nobody's vectors are about models of others.
struct AttackTrait {
  // Whether the vectors that a note asks for are changes from nothing, such as gradients.
  std::function<bool(Message& note)> from_nothing = nullptr;
  // The crowd of a client asked, where several are worked on apart: liars agree with those of their own.
  std::function<std::uint32_t(Message& note)> crowd = nullptr;
  // Which of the reply's vectors is about its sender's own model, where others are about those of others.
  std::function<std::size_t(Message& note)> own = nullptr;

  static const AttackTrait& of(const std::string& job);
};
struct AttackTraitEntry {
  AttackTraitEntry(const std::string& job, AttackTrait trait);
};

// [attack]
struct AttackOptions {
  std::string kind = "none";
  double fraction = 0.2;
  std::int64_t start = 0;
  std::unique_ptr<Attack> attack;  // made from kind

  // `kind` and the attack's own options are read elsewhere.
  void options(Options& o);
  // Whether somebody may lie: false for kind = "none".
  bool any() const { return attack != nullptr && attack->at() != Attack::At::nowhere; }
  // Whether liars lie in this round; `starting`: it is one in which first models are made.
  bool strikes(std::uint32_t round, bool starting) const;
  // The liars among clients 0 .. clients-1, ascending: the share, rounded, but never everybody.
  std::vector<ClientId> choose(std::size_t clients, std::uint64_t seed) const;
};

}  // namespace coterie
