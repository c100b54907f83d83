// Each client has samples of a few classes only ("C classes a client").
//
// Choose it for strong label skew that is the same for all. Every class goes to as equal a number of clients
// as possible and its rows are split evenly among them, so every row is used and every client has exactly
// `per_client` classes. [clients] samples = 4 with two classes each gives every client exactly two rows of
// either. With `disjoint` the classes fall into sets (0 1, 2 3, ...) and client i has set i mod
// sets: the sets are then true clusters.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Classes : public Partition {
 public:
  void options(Options& o) override {
    o("per_client", &per_client_, "classes that each client has", at_least(1));
    o("disjoint", &disjoint_,
      "whether clients have the same set of classes or none in common; the sets are true clusters");
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    const Hands rows = rows_by_class(request, "classes", stream);
    const Hands holders =
        disjoint_ ? holders_of_sets(request) : random_holders(rows, request.clients, stream);
    std::vector<Hands> pieces(request.clients);  // a client's rows of each of its classes
    for (std::size_t label = 0; label < rows.size(); ++label) {
      const std::size_t count = holders[label].size();
      if (count > rows[label].size()) {
        throw Error(fmt::format(
            "partition \"classes\": class {} has {} rows for {} clients that should hold it; ask for "
            "fewer clients or for fewer classes each",
            label, rows[label].size(), count));
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = even_start(rows[label].size(), count, i);
        const std::size_t end = even_start(rows[label].size(), count, i + 1);
        pieces[holders[label][i]].emplace_back(rows[label].begin() + static_cast<std::ptrdiff_t>(begin),
                                               rows[label].begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    Hands hands;
    for (const Hands& own : pieces) hands.push_back(join(own, request.samples));
    return hands;
  }

  std::vector<std::vector<std::uint32_t>> class_sets(std::size_t classes) const override {
    if (!disjoint_) return {};
    const auto each = static_cast<std::size_t>(per_client_);
    if (classes % each != 0) {
      throw Error(fmt::format(
          "partition \"classes\": {} classes do not fall into disjoint sets of {}; per_client must "
          "divide the number of classes",
          classes, each));
    }
    std::vector<std::vector<std::uint32_t>> sets(classes / each);
    for (std::size_t label = 0; label < classes; ++label) {
      sets[label / each].push_back(static_cast<std::uint32_t>(label));
    }
    return sets;
  }

 private:
  // The clients of each class when sets of classes go round among the clients.
  Hands holders_of_sets(const DealRequest& request) const {
    const std::vector<std::vector<std::uint32_t>> sets = class_sets(request.classes);
    if (request.clients < sets.size()) {
      throw Error(fmt::format(
          "partition \"classes\": {} disjoint sets of classes need at least as many clients, not {}",
          sets.size(), request.clients));
    }
    Hands holders(request.classes);
    for (std::size_t i = 0; i < request.clients; ++i) {
      for (std::uint32_t label : sets[i % sets.size()])
        holders[label].push_back(static_cast<std::uint32_t>(i));
    }
    return holders;
  }

  // Each client in turn takes the classes that still have the most places, ties at random. As long as no
  // class has more places than clients are left, this fills every place and never gives a client the same
  // class twice.
  Hands random_holders(const Hands& rows, std::size_t clients, Stream& stream) const {
    std::vector<std::uint32_t> present;
    for (std::size_t label = 0; label < rows.size(); ++label) {
      if (!rows[label].empty()) present.push_back(static_cast<std::uint32_t>(label));
    }
    const auto each = static_cast<std::size_t>(per_client_);
    if (each > present.size() || clients * each < present.size()) {
      throw Error(fmt::format(
          "partition \"classes\": {} clients x {} classes have {} places for {} classes; per_client "
          "must be from {} to {}",
          clients, each, clients * each, present.size(), (present.size() + clients - 1) / clients,
          present.size()));
    }
    stream.shuffle(std::span(present));
    std::vector<std::size_t> places(rows.size(), 0);
    for (std::size_t i = 0; i < present.size(); ++i) {
      places[present[i]] =
          even_start(clients * each, present.size(), i + 1) - even_start(clients * each, present.size(), i);
    }
    Hands holders(rows.size());
    for (std::size_t client = 0; client < clients; ++client) {
      stream.shuffle(std::span(present));
      std::stable_sort(present.begin(), present.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return places[a] > places[b]; });
      for (std::size_t i = 0; i < each; ++i) {
        holders[present[i]].push_back(static_cast<std::uint32_t>(client));
        --places[present[i]];
      }
    }
    return holders;
  }

  // All rows of a client, or so many of them, its classes taking turns.
  static std::vector<std::uint32_t> join(const Hands& pieces, std::optional<std::size_t> samples) {
    std::size_t total = 0;
    for (const std::vector<std::uint32_t>& piece : pieces) total += piece.size();
    if (samples && *samples > total) {
      throw Error(fmt::format(
          "partition \"classes\": clients.samples = {}, but a client's classes give it only {} rows; "
          "ask for fewer samples or clients",
          *samples, total));
    }
    std::vector<std::uint32_t> hand;
    for (std::size_t turn = 0; hand.size() < samples.value_or(total); ++turn) {
      for (const std::vector<std::uint32_t>& piece : pieces) {
        if (turn < piece.size() && hand.size() < samples.value_or(total)) hand.push_back(piece[turn]);
      }
    }
    return hand;
  }

  std::int64_t per_client_ = 2;
  bool disjoint_ = false;
};

const Registration<Partition> kClasses{"classes", "a few classes for each client",
                                       [] { return std::make_unique<Classes>(); }};

}  // namespace
}  // namespace coterie
