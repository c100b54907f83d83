// Clients that differ by a number: rows in order of some property, in consecutive pieces.
//
// Choose it for a gradual shift instead of groups: from dark to light images, from young to old patients.
// Client 0 has the least values. `strictness` s orders rows by  s z + (1 - s) noise,  z the property brought
// to mean 0 and deviation 1 and noise normal: 1 is the strict order, 0 a random deal. What is missing counts
// as the mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/partition.h"
#include "data/apportion.h"
#include "data/deal.h"

namespace coterie {
namespace {

class Continuous : public Partition {
 public:
  void options(Options& o) override {
    o("by", &by_,
      "the property: target, mean or deviation (of a row's features: how light and how varied an image is), "
      "a column "
      "of a table, or the number of a feature, from 0");
    o("strictness", &strictness_, "1: pieces do not overlap; 0: the property does not count", share());
  }

  Hands deal(const DealRequest& request, Stream& stream) const override {
    require_rows(request.clients, request.samples.value_or(1), request.rows);
    Vec keys = property(request);
    for (double& key : keys) key = strictness_ * key + (1 - strictness_) * stream.normal();
    std::vector<std::uint32_t> order = stream.permutation(request.rows);  // ties at random
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    Hands hands;
    for (std::size_t i = 0; i < request.clients; ++i) {
      const std::size_t begin = even_start(request.rows, request.clients, i);
      const std::size_t end = even_start(request.rows, request.clients, i + 1);
      hands.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
      if (!request.samples) continue;
      stream.shuffle(std::span(hands.back()));
      hands.back().resize(*request.samples);
    }
    return hands;
  }

  Exchange exchange() const override { return Exchange::nowhere; }
  bool by_owner() const override { return false; }

 private:
  // Of each row, with mean 0 and deviation 1 over those that have it.
  Vec property(const DealRequest& request) const {
    Vec values;
    if (request.property) {
      values = request.property(by_);
    } else if (by_ == "target") {
      values.assign(request.labels.begin(), request.labels.end());
    }
    if (values.size() != request.rows)
      throw Error(fmt::format("partition \"continuous\": the data has no property \"{}\"", by_));
    double sum = 0, squares = 0, count = 0;
    for (double value : values) {
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
    const double mean = count > 0 ? sum / count : 0;
    for (double value : values) squares += std::isfinite(value) ? (value - mean) * (value - mean) : 0;
    const double deviation = count > 0 && squares > 0 ? std::sqrt(squares / count) : 1;
    for (double& value : values) value = std::isfinite(value) ? (value - mean) / deviation : 0;
    return values;
  }

  std::string by_ = "target";
  double strictness_ = 1;
};

const Registration<Partition> kContinuous{"continuous", "by a numeric property of the rows, from low to high",
                                          [] { return std::make_unique<Continuous>(); }};

}  // namespace
}  // namespace coterie
