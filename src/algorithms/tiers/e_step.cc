#include "algorithms/tiers/e_step.h"

#include <algorithm>
#include <cmath>

#include "coterie/error.h"

namespace coterie {
namespace {

// Posterior of one row; returns log sum_k w_k L_k.
double posterior(std::span<const double> log_likelihoods, std::span<const double> weights,
                 std::span<double> out) {
  double largest = -HUGE_VAL;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (weights[k] > 0) largest = std::max(largest, log_likelihoods[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = weights[k] == 0 ? 0 : weights[k] * std::exp(log_likelihoods[k] - largest);
    sum += out[k];
  }
  for (double& p : out) p /= sum;
  return largest + std::log(sum);
}

// The mean of the columns.
std::vector<double> column_means(std::span<const double> values, std::size_t columns) {
  std::vector<double> means(columns, 0.0);
  for (std::size_t j = 0; j < values.size(); ++j) means[j % columns] += values[j];
  const double rows = static_cast<double>(values.size() / columns);
  for (double& m : means) m /= rows;
  return means;
}

}  // namespace

EStep e_step(std::span<const double> log_likelihoods, std::span<const double> client,
             std::span<const double> rows, double mu) {
  const std::size_t clusters = client.size(), count = log_likelihoods.size() / clusters;
  check(rows.empty() || rows.size() == log_likelihoods.size(), "weights of other samples");
  EStep step;
  step.client.assign(client.begin(), client.end());
  step.gamma.resize(log_likelihoods.size());
  std::vector<double> of_client(log_likelihoods.size());
  for (std::size_t j = 0; j < count; ++j) {
    const auto row = log_likelihoods.subspan(j * clusters, clusters);
    const std::span<double> gamma = std::span(step.gamma).subspan(j * clusters, clusters);
    const std::span<double> tilde = std::span(of_client).subspan(j * clusters, clusters);
    double value = posterior(row, client, tilde);
    if (rows.empty()) {
      std::copy(tilde.begin(), tilde.end(), gamma.begin());
    } else {
      value = posterior(row, rows.subspan(j * clusters, clusters), gamma);
    }
    step.log_likelihood += value / static_cast<double>(count);
  }
  if (count == 0) return step;
  step.client = column_means(of_client, clusters);
  if (mu == 0) return step;
  step.rows.resize(step.gamma.size());
  for (std::size_t j = 0; j < step.rows.size(); ++j) {
    step.rows[j] = mu * step.gamma[j] + (1 - mu) * step.client[j % clusters];
  }
  return step;
}

std::vector<double> settle_weights(std::span<const double> log_likelihoods, std::vector<double> client,
                                   std::size_t steps, double tolerance) {
  const std::size_t clusters = client.size();
  if (clusters == 1 || log_likelihoods.empty()) return client;
  std::vector<double> posteriors(log_likelihoods.size());
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t j = 0; j < posteriors.size(); j += clusters) {
      posterior(log_likelihoods.subspan(j, clusters), client, std::span(posteriors).subspan(j, clusters));
    }
    std::vector<double> next = column_means(posteriors, clusters);
    double moved = 0;
    for (std::size_t k = 0; k < clusters; ++k) moved = std::max(moved, std::fabs(next[k] - client[k]));
    client = std::move(next);
    if (moved <= tolerance) break;
  }
  return client;
}

}  // namespace coterie
