#include "adversary/liars.h"

#include <algorithm>
#include <cmath>

#include "math/kernels.h"

namespace coterie {
namespace {

// Which kinds of fields replies have.
struct Kinds : FieldVisitor {
  bool vectors = false;
  bool votes = false;
  void vector(Numbers&) override { vectors = true; }
  void vote(std::uint32_t&) override { votes = true; }
};

}  // namespace

std::string pointless_attack(const AttackOptions& options, const std::string& algorithm,
                             const std::vector<const AnyJob*>& jobs) {
  if (!options.any() || jobs.empty()) return "";
  const std::string what = "has no meaning for algorithm.kind = \"" + algorithm + "\": ";
  Kinds sent;
  for (const AnyJob* job : jobs) Archive::show(sent)(*job->blank_reply());
  if (!sent.vectors) return what + "its clients send no vectors, so no lie can reach another client";
  if (options.attack->at() == Attack::At::votes && !sent.votes) {
    return what + "its clients do not name their clusters; choose ifca, tiered, or another attack";
  }
  if (options.attack->knows_owners() && std::none_of(jobs.begin(), jobs.end(), [](const AnyJob* job) {
        return AttackTrait::of(job->name()).own != nullptr;
      })) {
    return "with knows = \"owners\" " + what +
           "no client computes gradients at models of others; leave `knows` out, or choose "
           "federated-clustering";
  }
  return "";
}

void check_attack(const AttackOptions& options, const std::string& algorithm,
                  const std::vector<const AnyJob*>& jobs, const Shape& shape) {
  const std::string pointless = pointless_attack(options, algorithm, jobs);
  if (!pointless.empty()) throw Error("attack.kind = \"" + options.kind + "\" " + pointless);
  if (options.any() && options.attack->at() == Attack::At::data && shape.task != Task::classification) {
    throw Error("attack.kind = \"" + options.kind +
                "\" needs classes, but this is a regression; choose another attack");
  }
}

Liars::Liars(const AttackOptions& options, std::size_t clients, std::uint64_t seed)
    : options_(options),
      attack_(*options.attack),
      seed_(seed),
      all_(options.choose(clients, seed)),
      votes_(clients, kUnknownCluster) {}

bool Liars::from_nothing(ClientId client) const {
  return trait_->from_nothing && trait_->from_nothing(*errand_->letter(client, precision_).note);
}
std::uint32_t Liars::crowd_of(ClientId client) const {
  return trait_->crowd ? trait_->crowd(*errand_->letter(client, precision_).note) : 0;
}
std::optional<std::size_t> Liars::own(ClientId client) const {
  if (!trait_->own) return std::nullopt;
  return trait_->own(*errand_->letter(client, precision_).note);
}
Items Liars::items(ClientId client) const { return errand_->letter(client, precision_).items; }

std::vector<ClientId> Liars::begin(const Errand& errand, std::span<const ClientId> cohort, const AskName& ask,
                                   Precision precision) {
  errand_ = &errand;
  trait_ = &AttackTrait::of(errand.job());
  precision_ = precision;
  ask_ = ask;
  striking_ = options_.strikes(ask.round, ask.purpose == Purpose::restart);
  agreed_.clear();
  target_ = striking_ && attack_.at() == Attack::At::votes ? target() : std::nullopt;
  rehearsing_.clear();
  if (attack_.at() == Attack::At::votes) votes_before_ = votes_;
  if (striking_ && attack_.at() == Attack::At::agreement) {
    std::set_intersection(cohort.begin(), cohort.end(), all_.begin(), all_.end(),
                          std::back_inserter(rehearsing_));
    const bool owners = !rehearsing_.empty() && own(rehearsing_[0]).has_value();
    if (owners && attack_.knows_owners()) rehearsing_.assign(cohort.begin(), cohort.end());
  }
  listening_ = !rehearsing_.empty();
  honest_.assign(rehearsing_.size(), {});
  return rehearsing_;
}

void Liars::merge(Peers& peers) {
  if (listening_) {
    for (const Bytes& one : peers.gather(encode_kept(honest_))) {
      auto theirs = decode_kept<decltype(honest_)>(one);
      check(theirs.size() == honest_.size(), "processes rehearse with the same clients");
      for (std::size_t r = 0; r < theirs.size(); ++r) {
        if (!theirs[r].empty()) honest_[r] = std::move(theirs[r]);
      }
    }
  }
  if (attack_.at() != Attack::At::votes) return;
  // Only the process of a client changes its vote.
  std::vector<std::int64_t> changes(votes_.size());
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    changes[i] = std::int64_t{votes_[i]} - std::int64_t{votes_before_[i]};
  }
  peers.sum(changes);
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    votes_[i] = static_cast<std::uint32_t>(std::int64_t{votes_before_[i]} + changes[i]);
  }
}

// By the votes of honest clients.
std::optional<std::uint32_t> Liars::target() const {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    if (votes_[i] == kUnknownCluster || lies(static_cast<ClientId>(i))) continue;
    if (votes_[i] >= sizes.size()) sizes.resize(votes_[i] + std::size_t{1}, 0);
    ++sizes[votes_[i]];
  }
  return sizes.empty() ? std::nullopt : attack_.vote(sizes);
}

bool Liars::lies(ClientId client) const { return std::binary_search(all_.begin(), all_.end(), client); }

std::size_t Liars::begun_at(ClientId client, const Vec& values) const {
  const Shelf& shelf = errand_->shelf();
  const Items items = this->items(client);
  std::size_t best = shelf.size();
  double least = squared_norm(values);
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (!items.has(k) || !shelf.has(k) || shelf[k].size() != values.size()) continue;
    const double distance = squared_distance(values, shelf[k].values());
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

void Liars::add_begun(double factor, std::size_t begun, Vec& values) const {
  if (begun < errand_->shelf().size()) add_scaled(factor, errand_->shelf()[begun].values(), values);
}

// Finds the places of the vectors of one liar's reply.
class Liars::Finder : public FieldVisitor {
 public:
  Finder(const Liars& liars, ClientId client)
      : liars_(liars),
        client_(client),
        from_nothing_(liars.from_nothing(client)),
        group_(liars.crowd_of(client)) {}

  void vector(Numbers& values) override {
    const std::size_t field = fields_++;
    if (values.size() == 0) return;
    Vec change = values;
    Place place{field, from_nothing_ ? liars_.errand_->shelf().size() : liars_.begun_at(client_, change),
                group_, cluster_};
    liars_.add_begun(-1, place.begun, change);
    meet(std::move(place), std::move(change), values);
  }
  void vote(std::uint32_t& cluster) override {
    if (from_nothing_) cluster_ = cluster;
    cluster = liars_.target_.value_or(cluster);
  }

 protected:
  // A vector of the reply, as a change from where its sender began.
  virtual void meet(Place place, Vec change, Numbers& values) = 0;

  const Liars& liars_;
  ClientId client_;

 private:
  bool from_nothing_;
  std::uint32_t group_;
  std::size_t fields_ = 0;
  std::uint32_t cluster_ = kUnknownCluster;
};

// Takes down the honest changes of one liar; of an honest client what is about its own model.
class Liars::Listener : public Finder {
 public:
  Listener(const Liars& liars, ClientId client, std::vector<std::pair<Place, Vec>>& heard)
      : Finder(liars, client), heard_(heard), all_(liars.lies(client)), own_(liars.own(client)) {}

 private:
  void meet(Place place, Vec change, Numbers&) override {
    if ((all_ || place.field == own_) && all_finite(change)) {
      heard_.emplace_back(std::move(place), std::move(change));
    }
  }
  std::vector<std::pair<Place, Vec>>& heard_;
  bool all_;
  std::optional<std::size_t> own_;
};

Crowd Liars::sent(std::size_t item, std::uint32_t group, std::span<const ClientId> cohort) const {
  Crowd crowd;
  for (const ClientId i : cohort) {
    if (crowd_of(i) != group) continue;
    if (item < errand_->shelf().size() && !items(i).has(item)) continue;
    ++crowd.clients;
    crowd.liars += lies(i) ? 1 : 0;
  }
  return crowd;
}

void Liars::agree(std::span<const ClientId> cohort) {
  listening_ = false;
  std::map<Place, std::vector<Vec>> together;
  std::map<Place, Vec> owners;
  for (std::size_t r = 0; r < rehearsing_.size(); ++r) {
    const bool liar = lies(rehearsing_[r]);
    for (auto& [place, change] : honest_[r]) {
      if (!liar) {
        owners[place] = std::move(change);
      } else {
        together[place].push_back(std::move(change));
      }
    }
  }
  honest_.clear();
  std::map<std::pair<std::size_t, std::uint32_t>, Crowd> crowds;  // by where they began, and group
  for (const auto& [place, changes] : together) {
    const auto [crowd, fresh] = crowds.try_emplace({place.begun, place.group});
    if (fresh) crowd->second = sent(place.begun, place.group, cohort);
    const double share = static_cast<double>(changes.size()) / static_cast<double>(crowd->second.liars);
    const auto clients = std::llround(share * static_cast<double>(crowd->second.clients));
    const auto owner = owners.find(place);
    agreed_[place] = attack_.agree(changes, {static_cast<std::size_t>(clients), changes.size(),
                                             owner == owners.end() ? nullptr : &owner->second});
  }
}

// Puts lies into the reply of one liar.
class Liars::Teller : public Finder {
 public:
  Teller(const Liars& liars, ClientId client)
      : Finder(liars, client),
        stream_(liars.seed_, {Purpose::attack, liars.ask_.round, liars.ask_.ask, client}) {}

 private:
  void meet(Place place, Vec change, Numbers& values) override {
    const Attack::At at = liars_.attack_.at();
    if (at == Attack::At::changes) {
      liars_.attack_.lie(change, stream_);
    } else if (at == Attack::At::agreement) {
      const auto agreed = liars_.agreed_.find(place);
      if (agreed == liars_.agreed_.end() || agreed->second.size() != change.size()) return;
      change = agreed->second;
    } else {
      return;
    }
    liars_.add_begun(1, place.begun, change);
    values = Numbers(change);
  }

  Stream stream_;
};

namespace {

// Remembers what an honest client voted for.
struct VoteListener : FieldVisitor {
  explicit VoteListener(std::uint32_t& vote) : last(vote) {}
  std::uint32_t& last;
  void vector(Numbers&) override {}
  void vote(std::uint32_t& cluster) override { last = cluster; }
};

}  // namespace

void Liars::meet(ClientId client, const std::function<void(FieldVisitor&)>& show) {
  if (listening_) {
    const auto place = std::lower_bound(rehearsing_.begin(), rehearsing_.end(), client) - rehearsing_.begin();
    Listener listener(*this, client, honest_[static_cast<std::size_t>(place)]);
    return show(listener);
  }
  if (attack_.at() == Attack::At::votes && !lies(client)) {
    VoteListener listener(votes_[client]);
    return show(listener);
  }
  if (!striking_ || !lies(client)) return;
  Teller teller(*this, client);
  show(teller);
}

}  // namespace coterie
