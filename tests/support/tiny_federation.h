// Tiny federations whose every number is given, and the objects a fleet needs around them.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "data/federation/federation.h"
#include "support/method_run.h"

namespace coterie {

// One-dimensional or wider regression data, all of it both trained and tested on.
class TinyFederation : public Federation {
 public:
  struct Client {
    std::vector<Vec> x;
    Vec y;
    std::uint32_t truth = 0;
    std::vector<std::uint32_t> kin = {};
  };
  explicit TinyFederation(const std::vector<Client>& clients) : touched(clients.size()) {
    shape_ = {Task::regression, clients[0].x[0].size(), 0, 0, 0, 0};
    for (const Client& client : clients) {
      auto samples = std::make_shared<Samples>();
      samples->shape = shape_;
      std::vector<double> features;
      for (const Vec& row : client.x) features.insert(features.end(), row.begin(), row.end());
      samples->features = std::move(features);
      samples->targets = client.y;
      samples->kin = client.kin;
      data_.push_back(std::move(samples));
      truths_.push_back(client.truth);
      truth_.clusters = std::max<std::size_t>(truth_.clusters, client.truth + std::size_t{1});
    }
    for (std::size_t k = 0; k < truth_.clusters; ++k) truth_.names.push_back("group " + std::to_string(k));
    truth_.parameters.resize(truth_.clusters);
  }

  const Shape& shape() const override { return shape_; }
  std::size_t size() const override { return data_.size(); }
  std::size_t training() const override { return data_.size(); }
  ClientInfo info(ClientId client) const override {
    auto count = static_cast<std::uint32_t>(data_[client]->size());
    return {count, 0, count, truths_[client], Role::train};
  }
  const Truth& truth() const override { return truth_; }
  std::shared_ptr<const Samples> samples(ClientId client, Part, std::uint32_t) const override {
    if (fails) throw std::length_error("no such data");
    ++touched[client];
    return data_[client];
  }

  bool fails = false;                             // whoever looks at data meets a std::exception
  mutable std::vector<std::atomic<int>> touched;  // how often each client's data was looked at

 private:
  Shape shape_;
  std::vector<std::shared_ptr<Samples>> data_;
  std::vector<std::uint32_t> truths_;
  Truth truth_;
};

// A federation, a linear model without intercept (loss (x.w - y)^2 / 2 unless told otherwise), gradient
// descent, and an algorithm on a fleet, at double precision.
class TinyRun : public MethodRun<TinyFederation> {
 public:
  struct Choices {
    std::string algorithm = "fedavg";
    std::string algorithm_toml = "";
    std::string model_toml = "";
    std::string solver = "gd";
    std::string solver_toml = "rate = 0.1\nsteps = 1";
    std::size_t clusters = 1;
    std::string weights = "samples";
    FleetChoices fleet = {};
    Precision precision = Precision::f64;
    std::string init = "random";
  };

  TinyRun(const std::vector<TinyFederation::Client>& clients, const Choices& choices)
      : MethodRun(clients,
                  {choices.algorithm, choices.algorithm_toml, "", "linear", choices.model_toml,
                   choices.solver, choices.solver_toml, choices.clusters, choices.precision, choices.init},
                  choices.fleet, choices.weights) {}
};

}  // namespace coterie
