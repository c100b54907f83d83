// Holdings from a generator: a client's samples are drawn whenever somebody looks at them, from a stream of
// its own, and parts are consecutive ranges of them. A client costs no memory but its size, and not even that
// when all are equal.
#include <algorithm>
#include <functional>
#include <numeric>

#include "data/client_generator.h"
#include "data/federation/holdings.h"
#include "data/federation/parts.h"

namespace coterie {
namespace {

constexpr std::uint16_t kTraits = 1;  // ask of Purpose::samples and Purpose::unseen; samples use 0
constexpr std::uint16_t kSizes = 2;   // ask of Purpose::deal; pools use 0 and 1

class GeneratorHoldings : public Holdings {
 public:
  GeneratorHoldings(const FederationSpec& spec, const Population& population, const ClientProfiles& groups,
                    std::uint64_t seed)
      : population_(population),
        groups_(groups),
        options_(spec.clients),
        seed_(seed),
        test_size_(static_cast<std::size_t>(spec.data.test_samples)) {
    std::optional<std::size_t> samples;
    if (spec.clients.samples) samples = static_cast<std::size_t>(*spec.clients.samples);
    Stream stream(seed, {.purpose = Purpose::deal, .ask = kSizes});
    const std::vector<std::size_t> sizes = spec.partition->sizes(groups.profile_of.size(), samples, stream);
    check(sizes.size() == groups.profile_of.size(), "a partition gave sizes for another number of clients");
    if (std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) != sizes.end()) {
      sizes_.assign(sizes.begin(), sizes.end());
    }
    same_size_ = sizes.front();
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    unseen_size_ = std::max<std::size_t>(spec.unseen.settle == "apart" ? 2 : 1, total / sizes.size());
    if (spec.unseen.samples) unseen_size_ = static_cast<std::size_t>(*spec.unseen.samples);
  }

  std::size_t size(std::size_t client) const override { return sizes_.empty() ? same_size_ : sizes_[client]; }
  Samples samples(std::size_t client, Part part, std::uint32_t epoch) const override {
    const Cut cut = cut_parts(size(client), options_);
    const auto id = static_cast<std::uint32_t>(client);
    Stream stream(seed_, {.purpose = Purpose::samples, .round = epoch, .client = id});
    Stream traits(seed_, {.purpose = Purpose::samples, .ask = kTraits, .client = id});
    return draw(groups_.profiles[groups_.profile_of[client]].group, size(client), cut.begin(part),
                cut.count(part), &traits, stream);
  }

  std::size_t size(const Judge& judge) const override {
    return judge.role == Role::test ? test_size_ : unseen_size_;
  }
  Samples samples(const Judge& judge, std::size_t begin, std::size_t count) const override {
    Stream stream(seed_, {.purpose = Purpose::unseen, .client = judge.id});
    const Profile& profile = groups_.profiles[groups_.of_truth[judge.cluster].front()];
    Stream traits(seed_, {.purpose = Purpose::unseen, .ask = kTraits, .client = judge.id});
    return draw(profile.group, size(judge), begin, count, judge.role == Role::test ? nullptr : &traits,
                stream);
  }

 private:
  // A generator need not draw ten samples as the first ten of twenty, so all are drawn and some kept.
  // `traits` are those of a client; a shared test set has none.
  Samples draw(std::size_t group, std::size_t total, std::size_t begin, std::size_t count, Stream* traits,
               Stream& stream) const {
    const auto* clients = traits == nullptr ? nullptr : dynamic_cast<const ClientGenerator*>(&population_);
    Samples drawn = clients == nullptr ? population_.draw(group, total, stream)
                                       : clients->draw_of_client(group, total, *traits, stream);
    if (count == total) return drawn;
    std::vector<std::uint32_t> kept(count);
    std::iota(kept.begin(), kept.end(), static_cast<std::uint32_t>(begin));
    return drawn.rows(kept);
  }

  const Population& population_;
  const ClientProfiles& groups_;
  const ClientsOptions options_;
  std::uint64_t seed_;
  std::size_t test_size_;
  std::size_t unseen_size_ = 0;
  std::size_t same_size_ = 0;
  std::vector<std::uint32_t> sizes_;  // empty: all the same
};

}  // namespace

std::unique_ptr<Holdings> draw_from(const FederationSpec& spec, const Population& population,
                                    const ClientProfiles& groups, std::uint64_t seed) {
  return std::make_unique<GeneratorHoldings>(spec, population, groups, seed);
}

}  // namespace coterie
