#include "fit/portrait.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "clustering/agreement.h"
#include "clustering/relabel.h"
#include "coterie/methods/estimates.h"
#include "fit/association.h"
#include "fit/group_model.h"
#include "run/session.h"

namespace coterie {
namespace {

constexpr std::uint16_t kHalves = 1;  // asks of Purpose::fit
constexpr std::uint16_t kMixture = 2;
constexpr std::uint16_t kMeasure = 3;
// Of a coefficient's length: more that only this group tells nothing of, and it is not known there.
constexpr double kTold = 1e-6;
// Groups of half of the rows that agree less with those of all rows are about something else.
constexpr double kAlike = 0.5;

// The two-sided 95 % point of Student's t, by the expansion of Cornish and Fisher, which is close from 3
// degrees on.
double student_95(double freedom) {
  if (freedom < 1.5) return 12.706;
  if (freedom < 2.5) return 4.303;
  const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

// A number that people read of a model: a sum of parameters with weights.
struct Contrast {
  std::string what;
  std::vector<std::pair<std::size_t, double>> terms;
};

std::string text_name(const TableSchema::Feature& feature) {
  return fmt::format("{} = {}", feature.column, feature.value->empty() ? "missing" : *feature.value);
}

class Painter {
 public:
  Painter(const Candidate& candidate, Arena& arena, const GroupEvidence& evidence)
      : candidate_(candidate), arena_(arena), evidence_(evidence), groups_(evidence.groups) {}

  void coefficients(GroupPortrait& portrait) {
    if (!evidence_.why_none.empty() || evidence_.groups < 2) {
      portrait.why_none = "there are no groups to describe";
      return;
    }
    const Folding halves = arena_.cut(2, seed() + kHalves);
    if (halves.in_time) {
      portrait.why_none = "with a column of time, rows cannot be cut into halves that are alike";
      return;
    }
    const ClientEstimates forming = estimates_on(halves);
    if (forming.clients.size() < 2 * groups_) {
      portrait.why_none = "half of the clients' rows are too few for estimates";
      return;
    }
    Stream stream(seed(), {.purpose = Purpose::fit, .ask = kMixture});
    const GroupMixture mixture = fit_mixture(estimates_of(forming), groups_, {}, stream);
    std::map<ClientId, std::uint32_t> label;
    for (std::size_t i = 0; i < forming.clients.size(); ++i) label[forming.clients[i]] = mixture.labels[i];
    compare_with_all(label, portrait);
    if (!(portrait.agreement >= kAlike)) {
      portrait.why_none = fmt::format(
          "half of the rows, which form the groups that the other half measures, form other groups than all "
          "rows (adjusted Rand index {:.2f}, it takes {}): clients have too few rows",
          portrait.agreement, kAlike);
      return;
    }
    measure(label, halves, portrait);
  }

 private:
  std::uint64_t seed() const {
    const Value* value = candidate_.config.find("seed");
    return value == nullptr ? 1 : static_cast<std::uint64_t>(std::get<std::int64_t>(value->data));
  }

  std::unique_ptr<Session> session_on(const Folding& halves, std::size_t half) {
    Problems problems;
    config_ = std::make_unique<Config>(read_config(candidate_.config, candidate_.name, problems));
    problems.raise_if_any();
    return arena_.session(*config_, halves.fold(half));
  }

  ClientEstimates estimates_on(const Folding& halves) {
    const auto session = session_on(halves, 0);
    EstimateOptions options;
    options.replicates = 0;
    options.resamples = 0;
    return ask_estimates(session->fleet(), session->setting(), options);
  }

  // Each group's model by the other half of its members' rows.
  std::vector<GroupModel> models_on(const Folding& halves, const std::map<ClientId, std::uint32_t>& label) {
    std::vector<std::vector<ClientId>> members(groups_);
    for (const auto& [client, group] : label) members[group].push_back(client);
    const auto session = session_on(halves, 1);
    precision_ = session->fleet().precision();
    std::vector<GroupModel> models;
    session->fleet().before_rounds([&](const Fleet::Begin& begin) {
      begin(1, kMeasure);
      for (const auto& own : members) models.push_back(fit_group(session->fleet(), session->setting(), own));
    });
    return models;
  }

  // Groups of half of the rows get the numbers of those groups of all rows that share most clients with them.
  void compare_with_all(std::map<ClientId, std::uint32_t>& label, GroupPortrait& portrait) const {
    std::vector<std::uint32_t> half, all;
    for (std::size_t i = 0; i < evidence_.clients.size(); ++i) {
      const auto found = label.find(evidence_.clients[i]);
      if (found == label.end()) continue;
      half.push_back(found->second);
      all.push_back(evidence_.labels[i]);
    }
    portrait.agreement = half.size() < 2 ? std::nan("") : adjusted_rand_index(contingency(half, all));
    const std::vector<std::uint32_t> number = renumbered(all, half, groups_, kUnknownCluster);
    for (auto& [client, group] : label) group = number[group];
  }

  void measure(const std::map<ClientId, std::uint32_t>& label, const Folding& halves,
               GroupPortrait& portrait) {
    const std::vector<GroupModel> models = models_on(halves, label);
    for (const GroupModel& group : models) {
      portrait.members.push_back(group.clients);
      if (group.clients < 3) {
        portrait.why_none = "a group that half of the rows form has fewer than three clients";
        return;
      }
    }
    Eigen::MatrixXd all = models.front().told_by;
    std::vector<Eigen::MatrixXd> untold;
    for (const GroupModel& group : models) {
      if (&group != &models.front()) all += group.told_by;
      untold.push_back(untold_directions(group.told_by, precision_));
    }
    const Eigen::MatrixXd nobody_tells = untold_directions(all, precision_);
    const double unit =
        arena_.roster().shape().task == Task::regression ? arena_.roster().table()->target_deviation : 1;
    for (const Contrast& reader : readers()) {
      Eigen::VectorXd along = Eigen::VectorXd::Zero(all.rows());
      for (const auto& [place, weight] : reader.terms) along[static_cast<Eigen::Index>(place)] += weight;
      const double redundant = (nobody_tells.transpose() * along).squaredNorm();
      GroupPortrait::Coefficient one;
      one.what = reader.what;
      Vec variance;
      for (std::size_t k = 0; k < models.size(); ++k) {
        const bool told =
            (untold[k].transpose() * along).squaredNorm() - redundant < kTold * along.squaredNorm();
        const double value = told ? along.dot(models[k].model) : std::nan("");
        variance.push_back(std::max(0.0, along.dot(models[k].covariance * along)));
        const double reach = student_95(static_cast<double>(models[k].clients) - 1) * std::sqrt(variance[k]);
        one.value.push_back(unit * value);
        one.low.push_back(unit * (value - reach));
        one.high.push_back(unit * (value + reach));
      }
      for (std::size_t a = 0; a < models.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const double error = unit * std::sqrt(variance[a] + variance[b]);
          const double gap = std::abs(one.value[a] - one.value[b]);
          if (error > 0 && std::isfinite(gap)) one.apart = std::max(one.apart, gap / error);
        }
      }
      portrait.coefficients.push_back(std::move(one));
    }
    std::stable_sort(portrait.coefficients.begin(), portrait.coefficients.end(),
                     [](const auto& a, const auto& b) { return a.apart > b.apart; });
  }

  // The coefficient of every feature: of the one output, of the second class against the first, or of each
  // class against the mean of all.
  std::vector<Contrast> readers() const {
    std::vector<Contrast> all;
    const TableSchema& schema = *arena_.roster().table();
    const std::vector<Layer>& layers = config_->model->layers();
    const Layer& weights = layers.front();
    const std::size_t outputs = weights.outputs();
    const bool intercept = layers.size() > 1;
    // Inputs with factors; the intercept is the one after the last.
    using Inputs = std::vector<std::pair<std::size_t, double>>;
    const std::size_t last = schema.features.size();
    const auto add = [&](const std::string& what, const Inputs& inputs) {
      Contrast reader{what, {}};
      const auto read = [&](std::size_t output, double factor) {
        for (const auto& [input, share] : inputs) {
          const std::size_t place = input == last         ? layers.back().offset + (outputs > 1 ? output : 0)
                                    : weights.is_matrix() ? weights.place(output, input)
                                                          : weights.offset + input;
          reader.terms.emplace_back(place, factor * share);
        }
      };
      if (outputs <= 2) {
        if (outputs == 2) read(0, -1.0);
        read(outputs - 1, 1.0);
        all.push_back(std::move(reader));
        return;
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        reader = {schema.classes[k] + ": " + what, {}};
        for (std::size_t other = 0; other < outputs; ++other)
          read(other, (other == k ? 1.0 : 0.0) - 1.0 / static_cast<double>(outputs));
        all.push_back(reader);
      }
    };
    // Beside an intercept, the level of the texts of a column is arbitrary: they are told against their mean.
    Inputs level = {{last, 1.0}};
    for (std::size_t f = 0; f < last; ++f) {
      const TableSchema::Feature& feature = schema.features[f];
      Inputs inputs = {{f, 1.0}};
      if (!feature.value || !intercept) {
        add(feature.value ? text_name(feature) : feature.column, inputs);
        continue;
      }
      const auto same = [&](const TableSchema::Feature& one) {
        return one.value.has_value() && one.column == feature.column;
      };
      const double share =
          1.0 / static_cast<double>(std::count_if(schema.features.begin(), schema.features.end(), same));
      for (std::size_t g = 0; g < last; ++g) {
        if (same(schema.features[g])) inputs.emplace_back(g, -share);
      }
      level.emplace_back(f, share);
      add(text_name(feature), inputs);
    }
    if (intercept) add("intercept", level);
    return all;
  }

  const Candidate& candidate_;
  Arena& arena_;
  const GroupEvidence& evidence_;
  std::size_t groups_;
  std::unique_ptr<Config> config_;
  Precision precision_ = Precision::f64;
};

// What a coefficient says, in words.
std::string unit_of(const Reading& reading, const TableSchema& schema) {
  const bool regression = reading.task == Task::regression, two = reading.classes.size() == 2;
  std::string unit = regression ? "change of " + reading.target
                     : two      ? "change of the log odds of " + reading.target + " = " + reading.classes[1]
                                : "change of the score of a class against the mean class";
  unit += schema.scaling == "none"   ? " for one unit of the column"
          : schema.scaling == "each" ? " for one standard deviation of the column at the client"
                                     : " for one standard deviation of the column";
  const bool texts = std::any_of(schema.features.begin(), schema.features.end(),
                                 [](const TableSchema::Feature& one) { return one.value.has_value(); });
  if (texts) unit += ", or for a text of it against the mean over its texts";
  return unit + (regression && schema.scales_target ? "; the intercept: against the overall mean"
                                                    : "; the intercept: the level itself");
}

}  // namespace

GroupPortrait draw_portrait(const Candidate& candidate, Arena& arena, const GroupEvidence& evidence,
                            const Reading& reading) {
  GroupPortrait portrait;
  Painter(candidate, arena, evidence).coefficients(portrait);
  portrait.unit = unit_of(reading, *arena.roster().table());
  const Value* seed = candidate.config.find("seed");
  for (std::size_t k = 0; k < reading.descriptions.size() && evidence.groups > 1; ++k) {
    portrait.associations.push_back(
        associate(reading.descriptions[k], evidence,
                  seed == nullptr ? 1 : static_cast<std::uint64_t>(std::get<std::int64_t>(seed->data)),
                  static_cast<std::uint32_t>(k)));
  }
  return portrait;
}

}  // namespace coterie
