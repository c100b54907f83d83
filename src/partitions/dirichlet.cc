// Label skew drawn from Dirichlet distributions: the smaller alpha, the fewer classes dominate a client.
//
// Three rules are in use, and they differ much at equal alpha:
//   class      each class is split over the clients by one draw from the symmetric Dirichlet(alpha); sizes
//              vary
//   client     each client in turn draws its mixture of classes q ~ Dirichlet(alpha p), p the proportions of
//              the rows that are left, and takes its samples one by one from q; a class that has run out is
//              dropped and q renormalised. The published code of FedRC and HCFL does this with alpha = 1:
//              about 0.1 for each of ten classes, much more skewed than a symmetric Dirichlet(1).
//   symmetric  as client, but q ~ Dirichlet(alpha, ..., alpha) over the classes that are left
// With the last two all clients have the same size, or sizes that follow a power law.
//
// Rule "class" usually re-draws until every client has enough samples, which may never end. Here rows move at
// random from the largest clients to those below the minimum, after a single draw.
#include <algorithm>
#include <queue>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

// Moves rows from the largest clients until each has the minimum; the caller has checked that there are
// enough.
void fill_up(Hands& hands, std::size_t minimum, Stream& stream) {
  using Entry = std::pair<std::size_t, std::size_t>;  // size, client
  std::priority_queue<Entry> largest;
  for (std::size_t i = 0; i < hands.size(); ++i) largest.push({hands[i].size(), i});
  for (std::vector<std::uint32_t>& poor : hands) {
    while (poor.size() < minimum) {
      const auto [size, donor] = largest.top();
      largest.pop();
      std::vector<std::uint32_t>& rich = hands[donor];
      std::swap(rich[stream.below(size)], rich.back());
      poor.push_back(rich.back());
      rich.pop_back();
      largest.push({rich.size(), donor});
    }
  }
}

class Dirichlet : public Partition {
 public:
  void options(Options& o) override {
    o("alpha", &alpha_, "concentration: small values give each client few classes, large ones all", above(0));
    o.choice("rule", rule_, {"class", "client", "symmetric"},
             "class: split each class over the clients; client: draw each client's mixture in proportion to "
             "what is left; symmetric: draw it with all classes alike");
    o("minimum", &minimum_, "samples that every client has at least", at_least(1));
    o("power", &power_,
      "rules client and symmetric: exponent of the power law of sizes, in random order; 0 makes all equal",
      at_least(0));
    o.require(power_ == 0 || rule_ != "class", "power",
              "rule \"class\" makes sizes of its own; use rule \"client\" or \"symmetric\"");
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    require_rows(request.clients, static_cast<std::size_t>(minimum_), request.rows);
    return rule_ == "class" ? deal_classes(request, stream) : deal_clients(request, stream);
  }

 private:
  Hands deal_classes(const DealRequest& request, Stream& stream) const {
    if (request.samples) {
      throw Error(
          "partition \"dirichlet\" with rule \"class\" makes clients of different sizes; leave "
          "clients.samples "
          "out, or use rule \"client\"");
    }
    const std::vector<double> shapes(request.clients, alpha_);
    Hands hands(request.clients);
    for (const std::vector<std::uint32_t>& rows : rows_by_class(request, "dirichlet", stream)) {
      if (rows.empty()) continue;
      const std::vector<std::size_t> counts = apportion(rows.size(), stream.dirichlet(shapes));
      auto next = rows.begin();
      for (std::size_t i = 0; i < request.clients; ++i) {
        hands[i].insert(hands[i].end(), next, next + static_cast<std::ptrdiff_t>(counts[i]));
        next += static_cast<std::ptrdiff_t>(counts[i]);
      }
    }
    fill_up(hands, static_cast<std::size_t>(minimum_), stream);
    return hands;
  }

  Hands deal_clients(const DealRequest& request, Stream& stream) const {
    if (request.samples) require_rows(request.clients, *request.samples, request.rows);
    if (request.samples && *request.samples < static_cast<std::size_t>(minimum_)) {
      throw Error("partition \"dirichlet\": clients.samples = " + std::to_string(*request.samples) +
                  " is below minimum = " + std::to_string(minimum_));
    }
    const std::size_t total = request.samples ? request.clients * *request.samples : request.rows;
    std::vector<std::size_t> sizes =
        power_law_sizes(request.clients, total, static_cast<std::size_t>(minimum_), power_);
    if (power_ > 0) stream.shuffle(std::span(sizes));
    Hands left = rows_by_class(request, "dirichlet", stream);
    Hands hands(request.clients);
    for (std::size_t i = 0; i < request.clients; ++i) take(sizes[i], left, hands[i], stream);
    return hands;
  }

  // One client's samples out of the rows that are left of each class.
  void take(std::size_t size, Hands& left, std::vector<std::uint32_t>& hand, Stream& stream) const {
    std::vector<double> mixture = draw_mixture(left, stream);
    while (hand.size() < size) {
      // Every class the mixture favours may run out; the proportions that are left then stand in for it.
      if (std::all_of(mixture.begin(), mixture.end(), [](double q) { return q == 0; }))
        mixture = proportions(left);
      const std::size_t label = stream.index(mixture);
      hand.push_back(left[label].back());
      left[label].pop_back();
      if (left[label].empty()) mixture[label] = 0;
    }
  }

  std::vector<double> draw_mixture(const Hands& left, Stream& stream) const {
    const std::vector<double> share = proportions(left);
    std::vector<double> shapes;
    for (double p : share) {
      if (p > 0) shapes.push_back(rule_ == "symmetric" ? alpha_ : alpha_ * p);
    }
    const std::vector<double> drawn = stream.dirichlet(shapes);
    std::vector<double> mixture(share.size(), 0.0);
    for (std::size_t label = 0, next = 0; label < share.size(); ++label) {
      if (share[label] > 0) mixture[label] = drawn[next++];
    }
    return mixture;
  }

  static std::vector<double> proportions(const Hands& left) {
    double total = 0;
    for (const std::vector<std::uint32_t>& rows : left) total += static_cast<double>(rows.size());
    std::vector<double> share;
    for (const std::vector<std::uint32_t>& rows : left)
      share.push_back(static_cast<double>(rows.size()) / total);
    return share;
  }

  double alpha_ = 0.5;
  std::string rule_ = "class";
  std::int64_t minimum_ = 2;
  double power_ = 0;
};

const Registration<Partition> kDirichlet{"dirichlet",
                                         "label skew: classes in proportions drawn from a Dirichlet",
                                         [] { return std::make_unique<Dirichlet>(); }};

}  // namespace
}  // namespace coterie
