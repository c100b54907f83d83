// Distributions of classes, written out: distributions = [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]].
//
// Choose it to set up a skew by hand, or one that was published as a table. Client i has distribution i mod
// (number of distributions); its rows of each class are its share, rounded so that they sum up. All clients
// have the same number of rows: [clients] samples, else as many as the scarcest class allows. Distributions
// are no true clusters: shared test sets hold all classes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Listed : public Partition {
 public:
  void options(Options& o) override {
    o("distributions", &distributions_,
      "a list of the classes' shares for each kind of client; clients take them in turn; empty: all rows, "
      "dealt class by "
      "class",
      at_least(0));
    for (const std::vector<double>& shares : distributions_) {
      o.require(std::accumulate(shares.begin(), shares.end(), 0.0) > 0, "distributions",
                "a list of shares needs one that is above 0");
    }
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    require_rows(request.clients, request.samples.value_or(1), request.rows);
    Hands left = rows_by_class(request, "listed", stream);
    if (distributions_.empty()) return deal_evenly(request, left);
    for (std::size_t k = 0; k < distributions_.size(); ++k) {
      if (distributions_[k].size() == request.classes) continue;
      throw Error(
          fmt::format("partition \"listed\": distribution {} has {} shares, but the data has {} classes",
                      k + 1, distributions_[k].size(), request.classes));
    }
    std::size_t size = request.samples.value_or(most(request, left));
    while (!request.samples && size > 0 && missing(request.clients, size, left)) --size;
    if (const auto scarce = missing(request.clients, std::max<std::size_t>(size, 1), left);
        size == 0 || scarce) {
      throw Error(
          fmt::format("partition \"listed\": {} clients with {} rows each need more rows of class {} than "
                      "the {} there are; ask for "
                      "fewer {}",
                      request.clients, std::max<std::size_t>(size, 1), scarce.value_or(0),
                      left[scarce.value_or(0)].size(), request.samples ? "samples or clients" : "clients"));
    }
    Hands hands(request.clients);
    for (std::size_t i = 0; i < request.clients; ++i) {
      const std::vector<std::size_t> counts = apportion(size, of_client(i));
      for (std::size_t label = 0; label < counts.size(); ++label) {
        const auto end = left[label].end();
        const auto begin = end - static_cast<std::ptrdiff_t>(counts[label]);
        hands[i].insert(hands[i].end(), begin, end);
        left[label].erase(begin, end);
      }
    }
    return hands;
  }

 private:
  const std::vector<double>& of_client(std::size_t client) const {
    return distributions_[client % distributions_.size()];
  }

  // Clients take turns, so that sizes differ by one at most.
  static Hands deal_evenly(const DealRequest& request, const Hands& rows) {
    Hands hands(request.clients);
    std::size_t next = 0;
    for (const std::vector<std::uint32_t>& one : rows) {
      for (std::uint32_t row : one) hands[next++ % request.clients].push_back(row);
    }
    if (request.samples) {
      for (std::vector<std::uint32_t>& hand : hands) hand.resize(*request.samples);
    }
    return hands;
  }

  // Rows for each client if shares need not be rounded.
  std::size_t most(const DealRequest& request, const Hands& rows) const {
    std::vector<double> need(request.classes, 0.0);  // of a row for each client
    for (std::size_t i = 0; i < request.clients; ++i) {
      const std::vector<double>& shares = of_client(i);
      const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (std::size_t label = 0; label < need.size(); ++label) need[label] += shares[label] / sum;
    }
    double size = static_cast<double>(request.rows) / static_cast<double>(request.clients);
    for (std::size_t label = 0; label < need.size(); ++label) {
      if (need[label] > 0) size = std::min(size, static_cast<double>(rows[label].size()) / need[label] + 1);
    }
    return static_cast<std::size_t>(size);
  }

  // A class of which there are too few rows for clients of this size.
  std::optional<std::size_t> missing(std::size_t clients, std::size_t size, const Hands& rows) const {
    std::vector<std::size_t> need(rows.size(), 0);
    for (std::size_t k = 0; k < distributions_.size() && k < clients; ++k) {
      const std::size_t sharing = (clients - k + distributions_.size() - 1) / distributions_.size();
      const std::vector<std::size_t> counts = apportion(size, distributions_[k]);
      for (std::size_t label = 0; label < counts.size(); ++label) need[label] += sharing * counts[label];
    }
    for (std::size_t label = 0; label < need.size(); ++label) {
      if (need[label] > rows[label].size()) return label;
    }
    return std::nullopt;
  }

  std::vector<std::vector<double>> distributions_;
};

const Registration<Partition> kListed{"listed", "distributions of classes, written out",
                                      [] { return std::make_unique<Listed>(); }};

}  // namespace
}  // namespace coterie
