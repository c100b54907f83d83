// Federations of samples that a test makes, of any task.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coterie/random.h"
#include "data/federation/federation.h"

namespace coterie {

// Every client trains on all its samples and is tested on them.
class GivenFederation : public Federation {
 public:
  explicit GivenFederation(std::vector<Samples> clients) : shape_(clients[0].shape) {
    for (Samples& samples : clients) data_.push_back(std::make_shared<const Samples>(std::move(samples)));
  }
  // From now on a client has these samples; as many as before.
  void give(ClientId client, Samples samples) {
    data_[client] = std::make_shared<const Samples>(std::move(samples));
  }
  const Shape& shape() const override { return shape_; }
  std::size_t size() const override { return data_.size(); }
  std::size_t training() const override { return data_.size(); }
  ClientInfo info(ClientId client) const override {
    const auto count = static_cast<std::uint32_t>(data_[client]->size());
    return {count, 0, count, 0, Role::train};
  }
  const Truth& truth() const override { return truth_; }
  std::shared_ptr<const Samples> samples(ClientId client, Part, std::uint32_t) const override {
    return data_[client];
  }

 private:
  Shape shape_;
  Truth truth_;
  std::vector<std::shared_ptr<const Samples>> data_;
};

// A mixture of `groups` linear rules: client i has counts[i] normal rows, and its targets follow rule
// i mod groups, as x.theta plus a little noise, or as the class with the highest score.
inline GivenFederation mixture(const Shape& shape, const std::vector<std::size_t>& counts, std::size_t groups,
                               std::uint64_t seed) {
  const std::size_t scores = shape.classes > 0 ? shape.classes : 1;
  std::vector<Vec> rules(groups, Vec(shape.width * scores));
  Stream rule_stream(seed, {Purpose::source});
  for (Vec& rule : rules) {
    for (double& value : rule) value = rule_stream.normal();
  }
  std::vector<Samples> clients;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Stream stream(seed, {Purpose::samples, 0, 0, static_cast<std::uint32_t>(i)});
    Samples samples;
    samples.shape = shape;
    std::vector<double> features;
    for (std::size_t j = 0; j < counts[i]; ++j) {
      Vec sums(scores);
      for (std::size_t c = 0; c < shape.width; ++c) {
        features.push_back(stream.normal());
        for (std::size_t s = 0; s < scores; ++s)
          sums[s] += features.back() * rules[i % groups][c * scores + s];
      }
      std::size_t best = 0;
      for (std::size_t s = 1; s < scores; ++s) best = sums[s] > sums[best] ? s : best;
      samples.targets.push_back(shape.classes > 0 ? static_cast<double>(best)
                                                  : sums[0] + 0.1 * stream.normal());
    }
    samples.features = std::move(features);
    clients.push_back(std::move(samples));
  }
  return GivenFederation(std::move(clients));
}

}  // namespace coterie
