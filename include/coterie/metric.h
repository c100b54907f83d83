// Metrics: what a round is judged by.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// How one client fares with what it was offered.
struct ClientScore {
  ClientId client = 0;
  Role role = Role::train;
  std::uint32_t truth = 0;    // true cluster
  std::uint32_t cluster = 0;  // of the largest weight
  Vec weights;                // over the models
  double samples = 0;         // scored on
  double loss = 0;            // mean over those
  double accuracy = 0;        // share of right classes; unused for regression
  // |w - theta|^2 / |theta|^2 for its model w and the parameters theta that generated its data; NaN when it
  // has no single model, or theta is not known or 0.
  double parameter_error = std::numeric_limits<double>::quiet_NaN();
  double unit = 1;  // of a regression: an error times this is in the target's own units
  // What else it told, in the order of Evaluation::reports; empty where that is not finite.
  std::vector<Vec> told = {};
};

// One evaluation: all clients that answered, in order of id.
struct Evaluation {
  std::uint32_t round = 0;
  Task task = Task::classification;
  std::vector<ClientScore> scores;
  std::vector<ClientScore> previous;  // the evaluation before; empty at the first
  const Truth* truth = nullptr;
  std::vector<Vec> models;     // offered now
  std::size_t intercepts = 0;  // trailing parameters of a model that the truth does not have
  Traffic traffic;
  bool personal = false;   // every client has a model of its own
  bool clustered = false;  // and the server found clusters of them all the same: `cluster` of the scores
  std::vector<std::pair<std::string, double>> own_metrics = {};  // that the method itself gives
  std::vector<std::string> reports = {};  // that clients were asked for besides loss, right, parameter_error
  std::vector<std::string> logged = {};   // metrics beyond the basic ones that rounds.jsonl is to have

  // Whether the clusters of the scores mean anything.
  bool has_clusters() const { return !personal || clustered; }
};

// Named numbers in order, for rounds.jsonl; a list for numbers by cluster. A metric that does not apply is
// NaN and is written as null.
using MetricValue = std::variant<double, std::vector<double>>;
struct Record {
  std::vector<std::pair<std::string, MetricValue>> metrics;
  void set(std::string name, MetricValue value) { metrics.emplace_back(std::move(name), std::move(value)); }
  const MetricValue* find(const std::string& name) const {
    for (const auto& [key, value] : metrics) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  // A single number, NaN when absent.
  double number(const std::string& name) const {
    const MetricValue* found = find(name);
    const double* value = found == nullptr ? nullptr : std::get_if<double>(found);
    return value == nullptr ? std::numeric_limits<double>::quiet_NaN() : *value;
  }
};

class Metric {
 public:
  virtual ~Metric() = default;
  // What it wants clients to report of the rows they are scored on: "loss", "right" (methods/score.h).
  virtual std::vector<std::string> reports() const { return {}; }
  virtual void measure(const Evaluation& evaluation, Record& out) const = 0;
  // Whether every evaluation has it. Others are there when [evaluate] metrics says so, and in summary.json.
  virtual bool basic() const { return true; }

  // A metric of scored rows has one figure for any set of clients. summary.json gives it for all training
  // clients and for the worst of them. Metrics of clusters, parameters or bytes have none.
  struct Figure {
    std::string name;
    std::optional<Task> task = {};  // that it is for; none: any
    bool higher_is_better = true;
  };
  virtual std::optional<Figure> figure() const { return std::nullopt; }
  // Over the rows of these clients, all together; NaN where there is no such figure.
  virtual double over(const Evaluation& evaluation, std::span<const ClientScore* const> clients) const {
    (void)evaluation;
    (void)clients;
    return std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace coterie
