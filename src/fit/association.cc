#include "fit/association.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "coterie/random.h"
#include "data/formats/sheet.h"

namespace coterie {
namespace {

constexpr std::uint16_t kPermutations = 3;  // an ask of Purpose::fit

double cramers_v(const std::vector<std::uint32_t>& label, const std::vector<std::uint32_t>& value) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> cells;
  std::map<std::uint32_t, double> rows, columns;
  for (std::size_t i = 0; i < label.size(); ++i) {
    cells[{label[i], value[i]}] += 1;
    rows[label[i]] += 1;
    columns[value[i]] += 1;
  }
  const auto n = static_cast<double>(label.size());
  double chi2 = -n;
  for (const auto& [at, count] : cells) chi2 += n * count * count / (rows[at.first] * columns[at.second]);
  const double least = static_cast<double>(std::min(rows.size(), columns.size())) - 1;
  return least > 0 ? std::sqrt(std::max(0.0, chi2) / (n * least)) : 0;
}

double eta_squared(const std::vector<std::uint32_t>& label, const Vec& value) {
  std::map<std::uint32_t, std::pair<double, double>> groups;  // count, sum
  double mean = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    groups[label[i]].first += 1;
    groups[label[i]].second += value[i];
    mean += value[i] / static_cast<double>(value.size());
  }
  double between = 0, all = 0;
  for (const auto& [group, sums] : groups) {
    const double gap = sums.second / sums.first - mean;
    between += sums.first * gap * gap;
  }
  for (const double x : value) all += (x - mean) * (x - mean);
  return all > 0 ? between / all : 0;
}

}  // namespace

GroupPortrait::Association associate(const Reading::Description& column, const GroupEvidence& evidence,
                                     std::uint64_t seed, std::uint32_t number) {
  constexpr int kTimes = 999;
  std::vector<std::uint32_t> label, codes;
  Vec numbers;
  std::map<std::string, std::uint32_t> names;
  bool numeric = true;
  for (std::size_t i = 0; i < evidence.clients.size(); ++i) {
    const std::string& text = column.values[evidence.clients[i]];
    if (text.empty()) continue;
    label.push_back(evidence.labels[i]);
    codes.push_back(names.emplace(text, static_cast<std::uint32_t>(names.size())).first->second);
    const std::optional<double> value = to_number(text);
    numeric = numeric && value.has_value();
    numbers.push_back(value.value_or(0));
  }
  numeric = numeric && names.size() > 5;  // a few whole numbers are codes of kinds
  const auto strength = [&](const std::vector<std::uint32_t>& labels) {
    return numeric ? eta_squared(labels, numbers) : cramers_v(labels, codes);
  };
  GroupPortrait::Association found{column.column, numeric ? "eta2" : "V", 0, 1, label.size()};
  if (label.size() < 4 || names.size() < 2) return found;
  found.strength = strength(label);
  Stream stream(seed, {.purpose = Purpose::fit, .ask = kPermutations, .client = number});
  int as_strong = 1;
  for (int t = 0; t < kTimes; ++t) {
    stream.shuffle(std::span(label));
    if (strength(label) >= found.strength - 1e-12) ++as_strong;
  }
  found.p = static_cast<double>(as_strong) / (kTimes + 1);
  return found;
}

}  // namespace coterie
