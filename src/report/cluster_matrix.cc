#include "report/cluster_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "clustering/matching.h"
#include "report/number_text.h"

namespace coterie {
namespace {

// Means by samples of the clients added so far.
class Tally {
 public:
  void add(const ClientRow& client) {
    ++clients_;
    if (!(client.samples > 0)) return;
    samples_ += client.samples;
    add(client.accuracy, client.samples, accuracy_);
    add(client.loss, client.samples, loss_);
  }
  double accuracy() const { return accuracy_.value(); }
  GroupScore score(std::string name) const {
    return {std::move(name), clients_, samples_, accuracy_.value(), loss_.value(), kAbsent};
  }

 private:
  struct Mean {
    double sum = 0;
    double weight = 0;
    double value() const { return weight > 0 ? sum / weight : kAbsent; }
  };
  static void add(double value, double weight, Mean& mean) {
    if (std::isnan(value)) return;
    mean.sum += weight * value;
    mean.weight += weight;
  }
  double clients_ = 0;
  double samples_ = 0;
  Mean accuracy_;
  Mean loss_;
};

// How many models the last evaluation offered; nothing when found clusters mean nothing.
std::optional<std::size_t> models_offered(const RunRecord& run) {
  bool evaluated = false;
  for (auto line = run.rounds.rbegin(); line != run.rounds.rend(); ++line) {
    if (!line->sizes.empty()) return line->sizes.size();
    evaluated =
        evaluated || !std::isnan(line->figure("loss")) || !std::isnan(line->figure("normalised_error"));
  }
  return evaluated ? std::nullopt : std::optional<std::size_t>(0);
}

// The true cluster that each row stands for under the best one-to-one matching.
std::vector<std::size_t> matching(const std::vector<std::vector<double>>& counts, std::size_t truth) {
  std::vector<double> costs;
  for (const auto& row : counts) {
    for (double count : row) costs.push_back(-count);
  }
  return assign_least_sum(costs, counts.size(), truth).column;
}

template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::size_t>& order) {
  std::vector<T> out;
  for (std::size_t i : order) out.push_back(items[i]);
  return out;
}

// Which to keep when there are more than `most`: the largest, in their present order. All when they fit.
std::vector<std::size_t> largest(const std::vector<GroupScore>& groups, std::size_t most) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  if (groups.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return groups[a].clients > groups[b].clients; });
  order.resize(most - 1);
  std::sort(order.begin(), order.end());
  return order;
}

// The group of all that are not kept; figures that would have to be averaged anew are left open.
GroupScore others(const std::vector<GroupScore>& groups, const std::vector<std::size_t>& kept) {
  GroupScore rest;
  rest.name = fmt::format("{} others", groups.size() - kept.size());
  for (const GroupScore& group : groups) rest.clients += group.clients, rest.samples += group.samples;
  for (std::size_t k : kept) rest.clients -= groups[k].clients, rest.samples -= groups[k].samples;
  return rest;
}

}  // namespace

ClusterMatrix cluster_matrix(const RunRecord& run, const std::vector<ClientRow>& clients) {
  std::map<std::uint32_t, std::string> truth_names;
  std::map<std::uint32_t, Tally> truth, unseen, test, found;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> together;  // (found, truth)
  auto models = models_offered(run);
  if (models) {
    for (std::uint32_t k = 0; k < *models; ++k) found[k];
  }
  for (const ClientRow& client : clients) {
    if (client.role == "liar") continue;  // figures are about honest clients
    if (client.truth) {
      if (!client.truth_name.empty()) truth_names[*client.truth] = client.truth_name;
      auto& by_role = client.role == "unseen" ? unseen : client.role == "test" ? test : truth;
      by_role[*client.truth].add(client);
    }
    if (client.role != "train" || !client.cluster || !models) continue;
    found[*client.cluster].add(client);
    if (client.truth) together[{*client.cluster, *client.truth}] += 1;
  }

  ClusterMatrix matrix;
  std::vector<std::uint32_t> truth_ids;
  for (const auto& [id, tally] : truth) {
    GroupScore score = tally.score(truth_names.count(id) > 0 ? truth_names[id] : fmt::format("true {}", id));
    auto& judged = unseen.empty() ? test : unseen;
    if (auto it = judged.find(id); it != judged.end()) score.test_accuracy = it->second.accuracy();
    matrix.truth.push_back(score);
    truth_ids.push_back(id);
  }
  for (const auto& [id, tally] : found) {
    matrix.found.push_back(tally.score(fmt::format("cluster {}", id)));
    matrix.found_ids.push_back(id);
    auto& row = matrix.counts.emplace_back();
    for (std::uint32_t t : truth_ids) row.push_back(together.count({id, t}) > 0 ? together[{id, t}] : 0);
  }

  std::vector<std::size_t> stands_for = matching(matrix.counts, truth_ids.size());
  std::vector<std::size_t> order(matrix.found.size());
  std::iota(order.begin(), order.end(), 0);
  // kUnmatched is the largest number: the rest come last.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return stands_for[a] < stands_for[b]; });
  matrix.found = in_order(matrix.found, order);
  matrix.found_ids = in_order(matrix.found_ids, order);
  matrix.counts = in_order(matrix.counts, order);
  return matrix;
}

std::size_t ClusterMatrix::filled() const {
  return static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const GroupScore& group) { return group.clients > 0; }));
}

std::string ClusterMatrix::sizes_text() const {
  constexpr std::size_t kMost = 8;
  std::vector<double> sizes;
  for (const GroupScore& group : found) {
    if (group.clients > 0) sizes.push_back(group.clients);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min(sizes.size(), kMost); ++i) {
    const bool last = i + 1 == sizes.size();
    text += (i == 0 ? ""
             : last ? " and "
                    : ", ") +
            (last ? counted_text(sizes[i], "client") : number_text(sizes[i]));
  }
  return sizes.size() > kMost ? text + ", ..." : text;
}

ClusterMatrix ClusterMatrix::shortened(std::size_t most_found, std::size_t most_truth) const {
  std::vector<std::size_t> rows = largest(found, most_found);
  std::vector<std::size_t> columns = largest(truth, most_truth);
  ClusterMatrix out;
  out.found = in_order(found, rows);
  out.found_ids = in_order(found_ids, rows);
  out.truth = in_order(truth, columns);
  if (rows.size() < found.size()) out.found.push_back(others(found, rows));
  if (columns.size() < truth.size()) out.truth.push_back(others(truth, columns));

  std::vector<std::size_t> row_of(found.size(), rows.size());
  std::vector<std::size_t> column_of(truth.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i]] = i;
  for (std::size_t i = 0; i < columns.size(); ++i) column_of[columns[i]] = i;
  out.counts.assign(out.found.size(), std::vector<double>(out.truth.size(), 0));
  for (std::size_t f = 0; f < found.size(); ++f) {
    for (std::size_t t = 0; t < truth.size(); ++t) out.counts[row_of[f]][column_of[t]] += counts[f][t];
  }
  return out;
}

}  // namespace coterie
