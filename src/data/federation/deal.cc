#include "data/federation/deal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "base/excerpt.h"
#include "base/text.h"
#include "data/row_property.h"
#include "data/whole_order.h"

namespace coterie {
namespace {

// Asks of Purpose::deal.
constexpr std::uint16_t kDeal = 0;
constexpr std::uint16_t kHoldOut = 1;
constexpr std::uint16_t kUnseenOwners = 2;

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// Row j becomes the one at place torch.randperm(rows)[j], after torch.manual_seed(seed).
void permute_as_pytorch(std::uint32_t seed, std::vector<std::uint32_t>& rows) {
  std::mt19937 bits(seed);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) std::swap(rows[i], rows[i + bits() % (rows.size() - i)]);
}

}  // namespace

std::vector<std::uint32_t> choose_unseen_owners(const UnseenOptions& options, const Pool& pool,
                                                std::uint64_t seed) {
  const std::size_t least = options.settle == "apart" ? 2 : 1;
  std::vector<std::size_t> counts(pool.owner_names.size(), 0);
  for (std::uint32_t owner : pool.owners) {
    if (owner >= counts.size()) counts.resize(owner + 1, 0);
    ++counts[owner];
  }
  std::vector<std::uint32_t> chosen;
  for (const std::string& name : options.names) {
    const auto found = std::find(pool.owner_names.begin(), pool.owner_names.end(), name);
    if (found == pool.owner_names.end()) {
      throw Error("unseen.names: client " + unknown_name(name, pool.owner_names));
    }
    chosen.push_back(static_cast<std::uint32_t>(found - pool.owner_names.begin()));
    if (counts[chosen.back()] < least)
      throw Error(
          fmt::format("unseen.names: client \"{}\" has {} samples; {} are needed, to choose a model by "
                      "some and be scored on others",
                      excerpt(name, 60), counts[chosen.back()], least));
  }
  if (options.names.empty()) {
    std::vector<std::uint32_t> eligible;
    for (std::uint32_t owner = 0; owner < counts.size(); ++owner) {
      if (counts[owner] >= least) eligible.push_back(owner);
    }
    const auto wanted = static_cast<std::size_t>(options.count);
    if (wanted > eligible.size()) {
      throw Error(
          fmt::format("unseen.count = {}: unseen clients are whole clients of the data, and only {} have "
                      "{} samples or more",
                      wanted, eligible.size(), least));
    }
    Stream stream(seed, {.purpose = Purpose::deal, .ask = kUnseenOwners});
    for (std::uint32_t k : stream.sample(eligible.size(), wanted)) chosen.push_back(eligible[k]);
  }
  std::sort(chosen.begin(), chosen.end());
  if (std::adjacent_find(chosen.begin(), chosen.end()) != chosen.end())
    throw Error("unseen.names: names a client twice");
  if (chosen.size() >= counts.size()) {
    throw Error(fmt::format("all {} clients of the data are unseen: nobody is left to train", counts.size()));
  }
  return chosen;
}

std::vector<std::uint32_t> owners_of_clients(const FederationSpec& spec, const Pool& pool,
                                             const PoolRows& rows, std::size_t clients, std::uint64_t seed) {
  DealRequest request = rows.request(pool, spec.clients);
  request.clients = clients;
  Stream stream(seed, {.purpose = Purpose::deal, .ask = kDeal});
  std::vector<std::uint32_t> owners;
  for (const std::vector<std::uint32_t>& hand : spec.partition->deal(request, stream)) {
    check(!hand.empty(), "an owner without rows");
    owners.push_back(rows.owners[hand.front()]);
    for (std::uint32_t row : hand) {
      if (pool.owner_truth[rows.owners[row]] == pool.owner_truth[owners.back()]) continue;
      throw Error(fmt::format(
          "client {} is made of owners of different true clusters, such as {} and {}; use partition = "
          "\"natural\", or leave data.truth out",
          owners.size() - 1, in_quotes(pool.owner_names[owners.back()]),
          in_quotes(pool.owner_names[rows.owners[row]])));
    }
  }
  return owners;
}

PoolRows split_pool(const Pool& pool, double test_share, bool by_owner, std::uint64_t seed,
                    const std::vector<std::uint32_t>& unseen) {
  PoolRows rows;
  const std::size_t count = pool.train.size();
  rows.unseen.resize(unseen.size());
  // The place of an unseen owner among those.
  const auto left_out = [&](std::uint32_t row) -> std::optional<std::size_t> {
    if (unseen.empty()) return std::nullopt;
    const auto at = std::lower_bound(unseen.begin(), unseen.end(), pool.owners[row]);
    if (at == unseen.end() || *at != pool.owners[row]) return std::nullopt;
    return static_cast<std::size_t>(at - unseen.begin());
  };
  for (std::uint32_t row = 0; row < count && !unseen.empty(); ++row) {
    if (const auto place = left_out(row)) rows.unseen[*place].push_back(row);
  }
  if (pool.test.size() > 0 || test_share <= 0) {
    rows.train = all_rows(count);
    std::erase_if(rows.train, [&](std::uint32_t row) { return left_out(row).has_value(); });
    rows.test = all_rows(pool.test.size());
    rows.test_samples = &pool.test;
  } else if (by_owner && !pool.owners.empty()) {
    std::vector<std::size_t> left(*std::max_element(pool.owners.begin(), pool.owners.end()) + 1, 0);
    for (std::uint32_t owner : pool.owners) ++left[owner];
    for (std::size_t& count : left) count = share_of(count, test_share);
    Stream stream(seed, {.purpose = Purpose::deal, .ask = kHoldOut});
    for (std::uint32_t row : stream.permutation(count)) {
      if (left_out(row)) continue;
      std::size_t& wanted = left[pool.owners[row]];
      (wanted > 0 ? rows.test : rows.train).push_back(row);
      if (wanted > 0) --wanted;
    }
    std::sort(rows.train.begin(), rows.train.end());
    rows.test_samples = &pool.train;
  } else {
    Stream stream(seed, {.purpose = Purpose::deal, .ask = kHoldOut});
    rows.test = stream.permutation(count);
    const std::size_t kept = share_of(count, 1 - test_share);
    rows.train.assign(rows.test.end() - static_cast<std::ptrdiff_t>(kept), rows.test.end());
    rows.test.resize(count - kept);
    std::sort(rows.train.begin(), rows.train.end());
    rows.test_samples = &pool.train;
  }
  for (std::uint32_t row : rows.train) {
    if (pool.train.shape.task == Task::classification) rows.labels.push_back(pool.train.targets[row]);
    if (!pool.owners.empty()) rows.owners.push_back(pool.owners[row]);
  }
  return rows;
}

DealRequest PoolRows::request(const Pool& pool, const ClientsOptions& clients) const {
  DealRequest request;
  request.rows = train.size();
  request.labels = labels;
  request.classes = pool.train.shape.classes;
  request.owners = owners;
  if (!pool.owners.empty()) {
    request.owner_count = std::max<std::size_t>(
        pool.owner_names.size(), *std::max_element(pool.owners.begin(), pool.owners.end()) + 1);
  }
  if (clients.samples) request.samples = static_cast<std::size_t>(*clients.samples);
  request.property = [this, &pool](const std::string& name) { return row_property(pool, train, name); };
  return request;
}

std::vector<std::uint32_t> PoolRows::test_of_classes(const std::vector<std::uint32_t>& classes) const {
  if (classes.empty()) return test;
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t row : test) {
    if (std::find(classes.begin(), classes.end(), test_samples->label(row)) != classes.end())
      chosen.push_back(row);
  }
  return chosen;
}

Deal::Deal(const FederationSpec& spec, const Pool& pool, const PoolRows& rows, const ClientProfiles& groups,
           std::uint64_t seed)
    : pool_(pool),
      rows_(rows),
      options_(spec.clients),
      exchange_(spec.partition->exchange()),
      by_owner_(spec.partition->by_owner() && !pool.owners.empty()),
      mixes_owners_(spec.partition->mixes_owners()),
      seed_(seed) {
  const std::size_t clients = groups.training;
  const bool per_cluster = spec.clients.reuse == "per-cluster";
  if (per_cluster && !groups.class_sets.empty()) {
    throw Error(
        "clients.reuse = \"per-cluster\" deals every row to every true cluster, but the partition gives each "
        "cluster "
        "classes of its own; use reuse = \"never\"");
  }
  if (spec.data.redeal != "never" && !pool.parts.empty()) {
    throw Error(
        "data.redeal = \"" + spec.data.redeal +
        "\" deals training rows anew, but data.split says where each row belongs; leave one of them out");
  }
  if (spec.data.redeal != "never" && exchange_ == Exchange::nowhere) {
    throw Error("data.redeal = \"" + spec.data.redeal +
                "\" needs rows that other clients could hold as well, but the partition ties each row "
                "to its client; use redeal = \"never\"");
  }
  if (pool.train.shape.task != Task::classification && exchange_ != Exchange::nowhere)
    exchange_ = Exchange::anywhere;
  scopes_.resize(per_cluster ? groups.truth.clusters : 1);
  for (std::size_t i = 0; i < clients; ++i) {
    const std::size_t scope = per_cluster ? groups.profiles[groups.profile_of[i]].truth : 0;
    scopes_[scope].push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<Flat> hands(clients);
  for (std::size_t scope = 0; scope < scopes_.size(); ++scope) deal_scope(scope, spec, hands);

  starts_.push_back(0);
  for (std::size_t i = 0; i < clients; ++i) {
    if (hands[i].empty())
      throw Error(fmt::format("client {} got no samples; use fewer clients or more data", i));
    // Lots that stay together decide by their order how many rows a part has, which a client that joins a
    // network tells before it has a number (run/own_data.cc).
    const bool lots = !pool.train.kin.empty() || !pool.times.empty();
    Stream stream(seed, {.purpose = Purpose::parts, .client = lots ? 0 : static_cast<std::uint32_t>(i)});
    stream.shuffle(std::span(hands[i]));
    if (!pool.parts.empty()) cuts_.push_back(mark_parts(i, hands[i]));
    if (lots) cuts_.push_back(cut_whole(hands[i], pool.train.kin, pool.times, options_));
    first_.insert(first_.end(), hands[i].begin(), hands[i].end());
    starts_.push_back(first_.size());
    std::exchange(hands[i], {});
  }

  shuffled_ = spec.data.redeal == "pytorch-shuffled";
  pytorch_ = shuffled_ || spec.data.redeal == "pytorch";
  bool fits = exchange_ == Exchange::anywhere && !per_cluster && options_.train == 1;
  for (std::size_t i = 0; i < clients; ++i) fits = fits && size(i) * clients == rows.train.size();
  if (pytorch_ && !fits) {
    throw Error(
        fmt::format("data.redeal = \"{}\" deals all {} rows to the {} clients, as many to each, all to "
                    "train on: use clients.partition = \"iid\", reuse = \"never\", parts.train = 1 and a "
                    "number of clients that divides them",
                    spec.data.redeal, rows.train.size(), clients));
  }
}

std::vector<std::uint32_t> Deal::owners(std::size_t client) const {
  if (!by_owner_) return {};
  if (!mixes_owners_) return {pool_.owners[first_[starts_[client]]]};
  std::vector<std::uint32_t> all;
  for (std::size_t at = starts_[client]; at < starts_[client + 1]; ++at)
    all.push_back(pool_.owners[first_[at]]);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// The rows of a client in the order of the parts that the data gives them.
Cut Deal::mark_parts(std::size_t client, Flat& hand) const {
  std::stable_sort(hand.begin(), hand.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return pool_.parts[a] < pool_.parts[b]; });
  const auto count = [&](Part part) {
    return static_cast<std::size_t>(
        std::count_if(hand.begin(), hand.end(), [&](std::uint32_t row) { return pool_.parts[row] == part; }));
  };
  const Cut cut{count(Part::train), count(Part::validation), count(Part::test)};
  if (cut.train > 0) return cut;
  const bool owned = by_owner_ && !pool_.owner_names.empty();
  throw Error(
      fmt::format("client {} has no sample to train on: data.split gives {} to validation and {} to test; "
                  "mark some of its rows as train{}",
                  owned ? in_quotes(pool_.owner_names[pool_.owners[hand.front()]]) : std::to_string(client),
                  cut.validation, cut.test, owned ? ", or list it in unseen.names" : ""));
}

void Deal::deal_scope(std::size_t scope, const FederationSpec& spec, std::vector<Flat>& hands) const {
  DealRequest request = rows_.request(pool_, spec.clients);
  request.clients = scopes_[scope].size();
  Stream stream(seed_, {.purpose = Purpose::deal, .ask = kDeal, .client = static_cast<std::uint32_t>(scope)});
  std::vector<Flat> dealt = spec.partition->deal(request, stream);
  check(dealt.size() == request.clients, "a partition dealt to another number of clients");
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    for (std::uint32_t& row : dealt[i]) row = rows_.train[row];
    hands[scopes_[scope][i]] = std::move(dealt[i]);
  }
}

std::vector<std::uint32_t> Deal::rows(std::size_t client, Part part, std::uint32_t epoch) const {
  const Cut cut = this->cut(client);
  const auto slice = [&](const Flat& flat) {
    const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(starts_[client] + cut.begin(part));
    return Flat(begin, begin + static_cast<std::ptrdiff_t>(cut.count(part)));
  };
  return epoch > 0 || pytorch_ ? slice(*epoch_rows(epoch)) : slice(first_);
}

std::shared_ptr<const Deal::Flat> Deal::epoch_rows(std::uint32_t epoch) const {
  const std::lock_guard lock(mutex_);
  if (latest_ == nullptr || latest_epoch_ != epoch) {
    auto flat = std::make_shared<Flat>(first_);
    if (pytorch_) {
      redeal_as_pytorch(epoch, *flat);
    } else {
      for (std::size_t scope = 0; scope < scopes_.size(); ++scope) redeal_scope(scope, epoch, *flat);
    }
    latest_ = std::move(flat);
    latest_epoch_ = epoch;
  }
  return latest_;
}

// Rank i of n takes every n-th row, from the i-th on, of torch.randperm after torch.manual_seed(epoch).
void Deal::redeal_as_pytorch(std::uint32_t epoch, Flat& flat) const {
  Flat order = rows_.train;
  if (shuffled_) permute_as_pytorch(0, order);
  permute_as_pytorch(epoch, order);
  const std::size_t clients = starts_.size() - 1;
  for (std::size_t at = 0; at < flat.size(); ++at) {
    const std::size_t client = at / (flat.size() / clients);
    flat[at] = order[client + clients * (at - starts_[client])];
  }
}

void Deal::redeal_scope(std::size_t scope, std::uint32_t epoch, Flat& flat) const {
  const auto kind = [&](std::uint32_t row) {
    return exchange_ == Exchange::anywhere ? 0 : pool_.train.label(row);
  };
  std::vector<bool> judges(pool_.train.size(), false);
  for (std::uint32_t client : scopes_[scope]) {
    for (std::size_t at = starts_[client] + cut(client).train; at < starts_[client + 1]; ++at) {
      judges[flat[at]] = true;
    }
  }
  std::vector<Flat> fresh(exchange_ == Exchange::anywhere ? 1 : pool_.train.shape.classes);
  for (std::uint32_t row : rows_.train) {
    if (!judges[row]) fresh[kind(row)].push_back(row);
  }
  Stream stream(
      seed_,
      {.purpose = Purpose::deal, .round = epoch, .ask = kDeal, .client = static_cast<std::uint32_t>(scope)});
  for (Flat& rows : fresh) stream.shuffle(std::span(rows));
  for (std::uint32_t client : scopes_[scope]) {
    const std::size_t end = starts_[client] + cut(client).train;
    for (std::size_t at = starts_[client]; at < end; ++at) {
      Flat& rows = fresh[kind(flat[at])];
      flat[at] = rows.back();
      rows.pop_back();
    }
  }
}

}  // namespace coterie
