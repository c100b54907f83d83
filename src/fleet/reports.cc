#include "fleet/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "coterie/methods/score.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr double kLeastProbability = 0x1p-52;
constexpr double kSlack = 1 + 1e-9;  // for sums that were rounded

bool whole(double value) { return value >= 0 && value == std::floor(value) && std::isfinite(value); }

std::string wrong_size(std::size_t told, std::size_t wanted) {
  return fmt::format("it reports {} numbers where {} were asked for", told, wanted);
}

std::span<const double> row(const Predictions& predictions, std::size_t i, std::size_t width) {
  return std::span(predictions.outputs).subspan(i * width, width);
}

std::size_t largest(std::span<const double> outputs) {
  return static_cast<std::size_t>(std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
}

std::size_t one_number(const Shape&, std::size_t) { return 1; }
std::size_t two_numbers(const Shape&, std::size_t) { return 2; }

// A single number between 0 and `most` for each sample.
template <int most>
std::string refuse_sum(std::span<const double> values, double samples, const Shape&) {
  if (values.size() != 1) return wrong_size(values.size(), 1);
  if (values[0] >= 0 && values[0] <= most * samples * kSlack) return "";
  return fmt::format("its scores are impossible: a sum of {} over {} samples", values[0], samples);
}

std::string refuse_loss(std::span<const double> values, double, const Shape&) {
  return values.size() == 1 ? "" : wrong_size(values.size(), 1);
}

Vec tell_loss(const Predictions& predictions, const Samples&) { return {mean(predictions.losses)}; }

// --- classes ----------------------------------------------------------------------------------------------

Vec tell_right(const Predictions& predictions, const Samples& samples) {
  const std::size_t width = samples.shape.classes;
  double count = 0;
  for (std::size_t i = 0; width > 0 && i < samples.size(); ++i) {
    if (largest(row(predictions, i, width)) == samples.label(i)) count += 1;
  }
  return {count};
}

std::string refuse_right(std::span<const double> values, double samples, const Shape&) {
  if (values.size() != 1) return wrong_size(values.size(), 1);
  if (values[0] >= 0 && values[0] <= samples) return "";
  return fmt::format("its scores are impossible: {} hits in {} samples", values[0], samples);
}

std::size_t most_counts(const Shape& shape, std::size_t) { return 3 * shape.classes; }

Vec tell_counts(const Predictions& predictions, const Samples& samples) {
  const std::size_t classes = samples.shape.classes;
  Vec counts(3 * classes, 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t guess = largest(row(predictions, i, classes));
    counts[samples.label(i)] += 1;
    counts[classes + guess] += 1;
    if (guess == samples.label(i)) counts[2 * classes + guess] += 1;
  }
  return counts;
}

std::string refuse_counts(std::span<const double> values, double samples, const Shape& shape) {
  const std::size_t classes = shape.classes;
  if (values.size() != 3 * classes) return wrong_size(values.size(), 3 * classes);
  const auto have = values.first(classes);
  const auto guessed = values.subspan(classes, classes);
  const auto right = values.subspan(2 * classes);
  bool good = std::all_of(values.begin(), values.end(), whole);
  for (std::size_t c = 0; c < classes; ++c) good = good && right[c] <= std::min(have[c], guessed[c]);
  for (const auto& all : {have, guessed})
    good = good && std::accumulate(all.begin(), all.end(), 0.0) == samples;
  return good ? "" : fmt::format("its counts of classes are impossible for {} samples", samples);
}

Vec tell_log_loss(const Predictions& predictions, const Samples& samples) {
  const std::size_t width = samples.shape.classes;
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = row(predictions, i, width)[samples.label(i)];
    sum -= std::log(std::isnan(p) ? p : std::clamp(p, kLeastProbability, 1.0));
  }
  return {sum};
}

Vec tell_brier(const Predictions& predictions, const Samples& samples) {
  const std::size_t width = samples.shape.classes;
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto outputs = row(predictions, i, width);
    for (std::size_t c = 0; c < width; ++c) {
      const double off = outputs[c] - (c == samples.label(i) ? 1 : 0);
      sum += off * off;
    }
  }
  const bool possible = sum <= 2 * static_cast<double>(samples.size()) * kSlack;
  return {possible ? sum : std::nan("")};  // of what is no probability it says nothing
}

// The classes that have a score of their own: of two, the second stands for both.
std::size_t scored_class(const Shape& shape, std::size_t k) { return shape.classes == 2 ? 1 : k; }

// Share of pairs, one row of the class and one of another, that the scores order rightly; a tie is half.
// NaN without such pairs.
double exact_auc(const Predictions& predictions, const Samples& samples, std::size_t of_class) {
  const std::size_t width = samples.shape.classes;
  std::vector<std::pair<double, bool>> scores;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    scores.emplace_back(row(predictions, i, width)[of_class], samples.label(i) == of_class);
    if (std::isnan(scores.back().first)) return std::nan("");
  }
  std::sort(scores.begin(), scores.end());
  double below = 0;  // rows of other classes so far
  double of_it = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size();) {
    double others = 0;
    double own = 0;
    const double score = scores[i].first;
    for (; i < scores.size() && scores[i].first == score; ++i) (scores[i].second ? own : others) += 1;
    pairs += own * (below + others / 2);
    below += others;
    of_it += own;
  }
  return pairs / (of_it * below);
}

Vec tell_auc(const Predictions& predictions, const Samples& samples) {
  double sum = 0;
  double count = 0;
  for (std::size_t k = 0; k < score_classes(samples.shape); ++k) {
    const double one = exact_auc(predictions, samples, scored_class(samples.shape, k));
    if (std::isnan(one)) continue;
    sum += one;
    count += 1;
  }
  return {sum / count};
}

std::string refuse_auc(std::span<const double> values, double, const Shape&) {
  if (values.size() != 1) return wrong_size(values.size(), 1);
  return values[0] >= 0 && values[0] <= 1 ? "" : fmt::format("its AUC is impossible: {}", values[0]);
}

std::size_t most_bins(const Shape& shape, std::size_t rows) {
  return 3 * score_classes(shape) * std::min(rows, score_bins(shape));
}

Vec tell_histogram(const Predictions& predictions, const Samples& samples) {
  const Shape& shape = samples.shape;
  const std::size_t bins = score_bins(shape);
  std::map<std::size_t, std::pair<double, double>> filled;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto outputs = row(predictions, i, shape.classes);
    for (std::size_t k = 0; k < score_classes(shape); ++k) {
      const std::size_t of_class = scored_class(shape, k);
      if (std::isnan(outputs[of_class])) return {std::nan("")};
      auto& [others, own] = filled[k * bins + score_bin(outputs[of_class], bins)];
      (samples.label(i) == of_class ? own : others) += 1;
    }
  }
  Vec told;
  for (const auto& [bin, counts] : filled) {
    told.insert(told.end(), {static_cast<double>(bin), counts.first, counts.second});
  }
  return told;
}

std::string refuse_histogram(std::span<const double> values, double samples, const Shape& shape) {
  const std::size_t bins = score_bins(shape);
  const std::size_t classes = score_classes(shape);
  bool good = values.size() % 3 == 0 && std::all_of(values.begin(), values.end(), whole);
  std::vector<double> rows(classes, 0);
  for (std::size_t i = 0; good && i < values.size(); i += 3) {
    good = values[i] < static_cast<double>(bins * classes) && (i == 0 || values[i] > values[i - 3]);
    if (good) rows[static_cast<std::size_t>(values[i]) / bins] += values[i + 1] + values[i + 2];
  }
  good = good && std::all_of(rows.begin(), rows.end(), [&](double count) { return count == samples; });
  return good ? "" : fmt::format("its histogram of scores is impossible for {} samples", samples);
}

// --- numbers ----------------------------------------------------------------------------------------------

Vec tell_errors(const Predictions& predictions, const Samples& samples) {
  double absolute = 0;
  double squared = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double error = predictions.outputs[i] - samples.targets[i];
    absolute += std::fabs(error);
    squared += error * error;
  }
  return {absolute, squared};
}

// squared <= absolute^2 <= samples * squared.
std::string refuse_errors(std::span<const double> values, double samples, const Shape&) {
  if (values.size() != 2) return wrong_size(values.size(), 2);
  const double root = std::sqrt(values[1]);
  if (values[0] >= 0 && values[0] <= std::sqrt(samples) * root * kSlack && root <= values[0] * kSlack)
    return "";
  return fmt::format("its errors are impossible: a sum of {} and {} of squares in {} samples", values[0],
                     values[1], samples);
}

Vec tell_spread(const Predictions&, const Samples& samples) {
  const double middle = samples.size() > 0 ? mean(samples.targets) : 0;
  double squares = 0;
  for (const double target : samples.targets) squares += (target - middle) * (target - middle);
  return {middle, squares};
}

std::string refuse_spread(std::span<const double> values, double, const Shape&) {
  if (values.size() != 2) return wrong_size(values.size(), 2);
  return values[1] >= 0 ? "" : fmt::format("the spread of its targets is impossible: {}", values[1]);
}

constexpr Report kReports[] = {
    {"loss", {}, one_number, tell_loss, refuse_loss},
    {"right", {}, one_number, tell_right, refuse_right},
    {"parameter_error", {}, one_number, nullptr, refuse_loss},
    {"class_counts", Task::classification, most_counts, tell_counts, refuse_counts},
    {"log_loss", Task::classification, one_number, tell_log_loss, refuse_sum<37>},
    {"brier", Task::classification, one_number, tell_brier, refuse_sum<2>},
    {"auc", Task::classification, one_number, tell_auc, refuse_auc},
    {"score_histogram", Task::classification, most_bins, tell_histogram, refuse_histogram},
    {"errors", Task::regression, two_numbers, tell_errors, refuse_errors},
    {"target_spread", Task::regression, two_numbers, tell_spread, refuse_spread},
};

}  // namespace

const Report* find_report(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kReports), std::end(kReports), [&](const Report& r) { return name == r.name; });
  return found == std::end(kReports) ? nullptr : found;
}

const std::vector<std::string>& report_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Report& report : kReports) all.emplace_back(report.name);
    return all;
  }();
  return names;
}

std::size_t report_size(const std::string& name, const Shape& shape, std::size_t rows) {
  const Report* report = find_report(name);
  return report == nullptr || report->task.value_or(shape.task) != shape.task ? 0 : report->most(shape, rows);
}

// Pairs of rows in one bin count as ties. Over k bins that hold the scores, an AUC of a is off by about
// |a - 1/2| / k^2: below 1e-3 once scores spread over 16 bins, which is 0.04 in log odds for two classes and
// 0.16 for more.
std::size_t score_bins(const Shape& shape) { return shape.classes == 2 ? 1u << 14 : 1u << 12; }
std::size_t score_classes(const Shape& shape) { return shape.classes == 2 ? 1 : shape.classes; }

std::size_t score_bin(double probability, std::size_t bins) {
  constexpr double kWidest = 20;
  if (!(probability > 0)) return 0;
  const double odds = std::log(probability) - std::log1p(-std::min(probability, 1.0));
  const double place = (odds + kWidest) / (2 * kWidest) * static_cast<double>(bins);
  if (!(place > 0)) return 0;
  return place >= static_cast<double>(bins) ? bins - 1 : static_cast<std::size_t>(place);
}

}  // namespace coterie
