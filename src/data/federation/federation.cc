// Builds a federation and makes each client's samples when asked: holdings, then shifts, then the cache.
#include "data/federation/federation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/excerpt.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/apportion.h"
#include "data/federation/cache.h"
#include "data/federation/groups.h"
#include "data/federation/holdings.h"
#include "data/federation/parts.h"
#include "data/pool_population.h"
#include "data/table_scaling.h"

namespace coterie {
namespace {

constexpr std::uint16_t kUnseenProfile = 0xffff;  // ask of Purpose::groups; lower ones are factors

class BuiltFederation : public Federation {
 public:
  BuiltFederation(const FederationSpec& spec, std::unique_ptr<Population> opened, std::uint64_t seed,
                  double memory)
      : population_(std::move(opened)),
        data_(spec.data),
        floats_(spec.floats),
        clients_(spec.clients),
        unseen_(spec.unseen),
        seed_(seed),
        cache_(spec.data.cache) {
    for (const ShiftUse& use : spec.shifts) {
      use.shift->check_shape(shape());
      shifts_.push_back(use.shift);
      on_shared_tests_.push_back(use.shared_tests);
    }
    const Pool* pool = population_->pool();
    PoolRows rows;
    const bool by_owner = spec.partition->by_owner();
    const bool owners = by_owner && pool != nullptr && !pool->owners.empty();
    const bool marked = pool != nullptr && !pool->parts.empty();
    const double test_share = data_.test_share.value_or(by_owner || marked ? 0 : 0.2);
    check_roles(pool, owners, marked);
    if (owners && (unseen_.count > 0 || !unseen_.names.empty())) {
      unseen_owners_ = choose_unseen_owners(unseen_, *pool, seed);
    }
    unseen_count_ = owners ? unseen_owners_.size() : static_cast<std::size_t>(unseen_.count);
    if (pool != nullptr) rows = split_pool(*pool, test_share, by_owner, seed, unseen_owners_);
    const DealRequest request = pool != nullptr ? rows.request(*pool, clients_) : DealRequest{};
    const std::size_t count = clients_.count ? static_cast<std::size_t>(*clients_.count)
                                             : spec.partition->client_count(request).value_or(10);
    std::vector<std::uint32_t> true_groups;
    if (pool != nullptr && !pool->owner_truth.empty()) {
      std::vector<std::uint32_t> all = owners_of_clients(spec, *pool, rows, count, seed);
      all.insert(all.end(), unseen_owners_.begin(), unseen_owners_.end());
      for (std::uint32_t owner : all) true_groups.push_back(pool->owner_truth[owner]);
    }
    groups_ = group_clients(spec, *population_, count + unseen_owners_.size(), seed, true_groups);
    groups_.training = count;
    notes_ = groups_.notes;
    if (pool == nullptr) check_drawn(memory);
    holdings_ = pool != nullptr ? deal_pool(spec, *pool, std::move(rows), groups_, seed)
                                : draw_from(spec, *population_, groups_, seed);
    if (pool != nullptr) note_owners(*pool, by_owner);
    for (std::uint32_t cluster = 0; cluster < clusters(); ++cluster) {
      test_sets_ = test_sets_ || holdings_->size(Judge{.role = Role::test, .cluster = cluster}) > 0;
    }
  }

  const Shape& shape() const override { return population_->shape(); }
  std::size_t size() const override { return training() + unseen_count() + (test_sets_ ? clusters() : 0); }
  std::size_t training() const override { return groups_.training; }
  const Truth& truth() const override { return groups_.truth; }

  ClientInfo info(ClientId client) const override {
    check(client < size(), "no such client");
    const Cut parts = cut(client);
    return {.train = static_cast<std::uint32_t>(parts.train),
            .validation = static_cast<std::uint32_t>(parts.validation),
            .test = static_cast<std::uint32_t>(parts.test),
            .truth = true_cluster(client),
            .role = role(client)};
  }

  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override {
    // An order from elsewhere may name anybody.
    if (client >= size()) throw Error(fmt::format("there is no client {}: there are {}", client, size()));
    std::uint32_t epoch = 0;
    if (table() != nullptr && table()->draft) return std::make_shared<const Samples>(raw(client, part, 0));
    if (role(client) != Role::train) {
      if (part == Part::train && unseen_.settle == "same") part = Part::test;
    } else if (data_.redeal != "never" && part == Part::train && round > 0) {
      epoch = static_cast<std::uint32_t>((round - 1) / data_.redeal_every);
    }
    const std::uint64_t key = static_cast<std::uint64_t>(client) * 4 + static_cast<std::uint64_t>(part);
    return cache_.get(key, epoch, [&] {
      Samples made = make(client, part, epoch);
      if (floats_) made.narrow();
      return made;
    });
  }

  std::string name(ClientId client) const override {
    const Pool* pool = population_->pool();
    if (pool == nullptr || client >= training() + unseen_owners_.size()) return "";
    std::vector<std::uint32_t> owners;
    if (client < training()) {
      owners = holdings_->owners(client);
    } else {
      owners = {unseen_owners_[client - training()]};
    }
    if (owners.empty() || owners.front() >= pool->owner_names.size()) return "";
    const std::string& first = pool->owner_names[owners.front()];
    return owners.size() == 1 ? first : fmt::format("{} + {}", first, owners.size() - 1);
  }
  std::vector<std::string> shifts(ClientId client) const override {
    check(client < size(), "no such client");
    std::vector<std::string> names;
    for (std::size_t s = 0; s < shifts_.size(); ++s) names.push_back(shift_name(client, s));
    return names;
  }
  std::vector<std::string> notes() const override { return notes_; }
  bool drawn() const override { return population_->pool() == nullptr; }
  const TableSchema* table() const override {
    const Pool* pool = population_->pool();
    return pool != nullptr && pool->table ? &*pool->table : nullptr;
  }
  void agree(const TableSchema& table) override { population_->agree(table, floats_); }
  void keep_only(const std::function<bool(ClientId)>& resident) override {
    const bool scaled_apart = table() != nullptr && table()->scaling == "each";  // the server tells how
    auto* pool = dynamic_cast<PoolPopulation*>(population_.get());
    if (pool == nullptr || data_.redeal != "never" || scaled_apart) return;
    std::vector<std::size_t> own;
    std::vector<Judge> judges;
    for (ClientId client = 0; client < size(); ++client) {
      if (role(client) != Role::test && !resident(client)) continue;
      if (role(client) == Role::train) {
        own.push_back(client);
      } else {
        judges.push_back(judge(client));
      }
    }
    holdings_->keep_only(own, judges);
    pool->drop_features();
  }
  std::optional<TableSchema> own_table(ClientId client) const override {
    if (table() == nullptr || table()->scaling != "each") return std::nullopt;
    return own_schema(*table(), raw(client, Part::train, 0));
  }
  RowBonds bonds(ClientId client) const override {
    RowBonds bonds;
    const Pool* pool = population_->pool();
    if (pool == nullptr || role(client) != Role::train) return bonds;
    const std::vector<std::uint32_t>& kin = pool->train.kin;
    if (kin.empty() && pool->times.empty()) return bonds;
    for (std::uint32_t row : holdings_->rows(client, Part::train)) {
      if (!kin.empty()) bonds.kin.push_back(kin[row]);
      if (!pool->times.empty()) bonds.times.push_back(pool->times[row]);
    }
    return bonds;
  }
  std::vector<RowPlace> places() const override {
    std::vector<RowPlace> places;
    const Pool* pool = population_->pool();
    if (pool == nullptr || pool->numbers.empty()) return places;
    for (ClientId client = 0; client < size(); ++client) {
      if (role(client) == Role::train) {
        for (const Part part : {Part::train, Part::validation, Part::test}) {
          for (std::uint32_t row : holdings_->rows(client, part))
            places.push_back({pool->numbers[row], client, part});
        }
        continue;
      }
      const std::size_t chosen_by = unseen_.settle == "same" ? 0 : cut(client).train;
      const std::vector<std::uint32_t> rows = holdings_->rows(judge(client));
      for (std::size_t i = 0; i < rows.size(); ++i)
        places.push_back({pool->numbers[rows[i]], client, i < chosen_by ? Part::train : Part::test});
    }
    return places;
  }

 private:
  // What the data says of its rows and owners has a place in some federations only.
  void check_roles(const Pool* pool, bool owners, bool marked) const {
    if (!owners && !unseen_.names.empty()) {
      throw Error("unseen.names: needs clients that are owners of the data, as with partition = \"natural\"");
    }
    if (pool == nullptr) return;
    if (!owners && !pool->owner_truth.empty()) {
      throw Error(
          "data.truth gives the true cluster of each owner of rows, but the partition deals rows to anyone; "
          "use "
          "partition = \"natural\"");
    }
    if (marked && data_.test_share.value_or(0) > 0) {
      throw Error("data.split says which rows are for tests, so data.test_share must be left out");
    }
    if (!pool->owner_truth.empty() && clients_.reuse != "never") {
      throw Error("data.truth: a row belongs to one client, so clients.reuse must be \"never\"");
    }
  }

  // A client's samples are drawn all at once.
  void check_drawn(double memory) const {
    const auto check_one = [&](std::int64_t samples, const char* option) {
      const auto rows = static_cast<double>(samples), width = static_cast<double>(shape().width);
      check_memory(rows * (width + 1) * sizeof(double), memory,
                   fmt::format("{} = {} with {} features a sample", option, samples, shape().width),
                   "draw fewer samples for a client");
    };
    check_one(clients_.samples.value_or(1), "clients.samples");
    check_one(unseen_.samples.value_or(1), "unseen.samples");
    check_one(data_.test_samples, "data.test_samples");
  }

  void note_owners(const Pool& pool, bool by_owner) {
    notes_.insert(notes_.end(), pool.notes.begin(), pool.notes.end());
    if (pool.owners.empty()) return;
    if (!by_owner) {
      notes_.push_back(
          "the data says who owns each sample, but the partition deals samples to anyone; partition = "
          "\"natural\" makes a client of each owner");
      return;
    }
    std::vector<bool> takes_part(pool.owner_names.size(), false);
    for (std::size_t i = 0; i < training(); ++i) {
      for (std::uint32_t owner : holdings_->owners(i)) {
        if (owner < takes_part.size()) takes_part[owner] = true;
      }
    }
    for (std::uint32_t owner : unseen_owners_) takes_part[owner] = true;
    std::vector<std::string> absent;
    for (std::size_t k = 0; k < takes_part.size(); ++k) {
      if (!takes_part[k]) absent.push_back(excerpt(pool.owner_names[k], 60));
    }
    if (absent.empty()) return;
    constexpr std::size_t kNamed = 5;
    const std::string more = absent.size() > kNamed ? " ..." : "";
    const std::size_t count = absent.size();
    absent.resize(std::min(count, kNamed));
    notes_.push_back(fmt::format("{} of {} owners take no part (too few samples, or not drawn): {}{}", count,
                                 takes_part.size(), fmt::join(absent, ", "), more));
  }

  std::size_t clusters() const { return groups_.truth.clusters; }
  std::size_t unseen_count() const { return unseen_count_; }
  Role role(std::size_t client) const {
    return client < training()                    ? Role::train
           : client < training() + unseen_count() ? Role::unseen
                                                  : Role::test;
  }
  Judge judge(ClientId client) const {
    const std::size_t index = client - training();
    Judge judge{.role = Role::test, .cluster = static_cast<std::uint32_t>(index - unseen_count())};
    if (role(client) == Role::unseen) {
      judge = unseen_owners_.empty()
                  ? unseen_judge(index, unseen_count(), clusters())
                  : Judge{.cluster = groups_.profiles[groups_.profile_of[client]].truth, .index = index};
    }
    judge.id = client;
    return judge;
  }
  std::uint32_t true_cluster(ClientId client) const {
    return role(client) == Role::train ? groups_.profiles[groups_.profile_of[client]].truth
                                       : judge(client).cluster;
  }
  Cut cut(ClientId client) const {
    if (role(client) == Role::train)
      return holdings_->marked(client).value_or(cut_parts(holdings_->size(client), clients_));
    const Judge one = judge(client);
    const std::size_t total = holdings_->size(one);
    if (unseen_.settle == "same") return Cut{.train = total, .test = total};
    return holdings_->marked(one).value_or(cut_settle(total, unseen_.share));
  }

  Samples make(ClientId client, Part part, std::uint32_t epoch) const {
    // One stream for each shift, shared by all the profiles in a test set.
    std::vector<Stream> streams;
    for (std::size_t s = 0; s < shifts_.size(); ++s) {
      streams.emplace_back(seed_, Stream::Name{.purpose = Purpose::shift,
                                               .round = epoch * 4 + static_cast<std::uint32_t>(part),
                                               .ask = static_cast<std::uint16_t>(s),
                                               .client = client});
    }
    if (role(client) == Role::train) {
      Samples samples = scaled(client, raw(client, part, epoch));
      apply_shifts(groups_.profiles[groups_.profile_of[client]], Role::train, part, samples, streams);
      return samples;
    }
    const Judge one = judge(client);
    const std::size_t begin = unseen_.settle == "same" ? 0 : cut(client).begin(part);
    Samples samples = scaled(client, raw(client, part, epoch));
    if (one.role == Role::test) return shift_mixed(one, begin, part, samples, streams);
    apply_shifts(groups_.profiles[unseen_profile(one)], Role::unseen, part, samples, streams);
    return samples;
  }

  // What a client holds, before shifts.
  Samples raw(ClientId client, Part part, std::uint32_t epoch) const {
    if (role(client) == Role::train) return holdings_->samples(client, part, epoch);
    const Cut parts = cut(client);
    return holdings_->samples(judge(client), unseen_.settle == "same" ? 0 : parts.begin(part),
                              parts.count(part));
  }
  // Rows that each client scales by its own: the population has left them as they were.
  Samples scaled(ClientId client, Samples rows) const {
    if (table() == nullptr || table()->scaling != "each") return rows;
    const Samples train = raw(client, Part::train, 0);
    apply_schema(own_schema(*table(), train.size() > 0 ? train : rows), rows, false);
    return rows;
  }

  void apply_shifts(const Profile& profile, Role role, Part part, Samples& samples,
                    std::vector<Stream>& streams) const {
    for (std::size_t s = 0; s < shifts_.size(); ++s) {
      if (part == Part::test && !shifts_[s]->applies_to_test()) continue;
      if (role == Role::test && !on_shared_tests_[s]) continue;
      shifts_[s]->apply(profile.variants[s], samples, streams[s]);
    }
  }

  std::vector<double> profile_weights(std::uint32_t cluster) const {
    std::vector<double> weights;
    for (std::uint32_t p : groups_.of_truth[cluster])
      weights.push_back(static_cast<double>(groups_.profiles[p].clients));
    return weights;
  }
  std::uint32_t unseen_profile(const Judge& judge) const {
    if (!unseen_owners_.empty()) return groups_.profile_of[judge.id];
    Stream stream(seed_, {.purpose = Purpose::groups, .ask = kUnseenProfile, .client = judge.id});
    return groups_.of_truth[judge.cluster][stream.index(profile_weights(judge.cluster))];
  }

  // What a shift does to a client's samples; a shared test set may hold several variants.
  std::string shift_name(ClientId client, std::size_t s) const {
    if (role(client) == Role::test && !on_shared_tests_[s]) return "none";
    const auto variant = [&](std::uint32_t profile) { return groups_.profiles[profile].variants[s]; };
    if (role(client) == Role::train) return shifts_[s]->variant_name(variant(groups_.profile_of[client]));
    const Judge one = judge(client);
    if (one.role == Role::unseen) return shifts_[s]->variant_name(variant(unseen_profile(one)));
    const std::vector<std::uint32_t>& profiles = groups_.of_truth[one.cluster];
    for (std::uint32_t profile : profiles) {
      if (variant(profile) != variant(profiles.front())) return "mixed";
    }
    return shifts_[s]->variant_name(variant(profiles.front()));
  }

  // A shared test set stands for all clients of its true cluster. Shifts that are no part of the truth may
  // make those differ; the samples then take their profiles in turn, in proportion to the clients that have
  // them.
  Samples shift_mixed(const Judge& judge, std::size_t begin, Part part, const Samples& samples,
                      std::vector<Stream>& streams) const {
    const std::vector<std::uint32_t> turns =
        interleave(apportion(holdings_->size(judge), profile_weights(judge.cluster)));
    const std::vector<std::uint32_t>& profiles = groups_.of_truth[judge.cluster];
    std::vector<std::vector<std::uint32_t>> rows(profiles.size());
    for (std::uint32_t i = 0; i < samples.size(); ++i) rows[turns[begin + i]].push_back(i);
    Samples mixed = samples.empty_like();
    for (std::size_t p = 0; p < profiles.size(); ++p) {
      Samples own = samples.rows(rows[p]);
      apply_shifts(groups_.profiles[profiles[p]], Role::test, part, own, streams);
      if (own.features.index() != mixed.features.index()) {
        own.make_float();
        mixed.make_float();
      }
      mixed.append(own);
    }
    return mixed;
  }

  std::unique_ptr<Population> population_;
  const DataOptions data_;
  const bool floats_;
  const ClientsOptions clients_;
  const UnseenOptions unseen_;
  std::vector<std::shared_ptr<const Shift>> shifts_;
  std::vector<bool> on_shared_tests_;  // of each shift
  const std::uint64_t seed_;
  std::vector<std::uint32_t> unseen_owners_;  // where clients are owners
  std::size_t unseen_count_ = 0;
  ClientProfiles groups_;
  std::unique_ptr<Holdings> holdings_;
  bool test_sets_ = false;
  std::vector<std::string> notes_;
  mutable SampleCache cache_;
};

// One client's file may have rows of a single class; those of all may not.
void expect_classes(const Pool& pool) {
  const Shape& shape = pool.train.shape;
  if (shape.task != Task::classification || shape.classes >= 2) return;
  throw Error("data: the target" + (pool.table ? " " + in_quotes(pool.table->target) : "") +
              " has fewer than two classes: there is nothing to tell apart");
}

}  // namespace

std::unique_ptr<Federation> build_federation(const FederationSpec& spec, const SourceContext& context,
                                             std::uint64_t seed) {
  const ClientsOptions& clients = spec.clients;
  const double parts = clients.train + clients.validation + clients.test;
  if (!(std::abs(parts - 1) < 1e-6)) {
    throw Error(fmt::format("clients.parts sum to {:g}; train + validation + test must be 1", parts));
  }
  if (clients.count && *clients.count < 1) throw Error("clients.count must be at least 1");
  constexpr double kEach = 100;  // bytes that a client takes at the server, its data aside
  const double count =
      static_cast<double>(clients.count.value_or(0)) + static_cast<double>(spec.unseen.count);
  check_memory(kEach * count, context.memory, fmt::format("a federation of {:.0f} clients", count),
               "lower clients.count or unseen.count");
  SourceContext own = context;
  own.seed = spec.data.seed ? static_cast<std::uint64_t>(*spec.data.seed) : seed;
  own.floats = spec.floats;
  std::unique_ptr<Population> population = spec.source->open(own);
  if (const Pool* pool = population->pool()) expect_classes(*pool);
  return std::make_unique<BuiltFederation>(spec, std::move(population), own.seed, own.memory);
}

}  // namespace coterie
