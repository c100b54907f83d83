// Weights of a mixture by expectation and maximisation: the E-step of FedEM, and HCFL+'s with weights for
// each sample (Guo et al., 2025, eqs. 4 and 5).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace coterie {

// Rows are samples j, columns clusters k.
struct EStep {
  std::vector<double> gamma;   // responsibilities for training: rows x clusters
  std::vector<double> client;  // w~_k, new
  std::vector<double>
      rows;  // w_jk, new: rows x clusters; empty when mu = 0, where all rows have the client's
  double log_likelihood = 0;  // mean over the rows of log sum_k w_jk L_jk, at the weights before
};

// One step from log L (rows x clusters), the client's weights w~ and the samples' own w (empty: the
// client's):
//
//   gamma_jk   = w_jk L_jk / sum_n w_jn L_jn         gamma~_jk = w~_k L_jk / sum_n w~_n L_jn
//   w~_k      <- mean_j gamma~_jk                    w_jk     <- mu gamma_jk + (1 - mu) w~_k
//
// The paper's denominator of gamma~ lacks a tilde: without it gamma~ would not sum to one. Not finite in, not
// finite out. Without rows the client's weights stay.
EStep e_step(std::span<const double> log_likelihoods, std::span<const double> client,
             std::span<const double> rows, double mu);

// Repeats the step on the client's weights alone until no weight moves by more than `tolerance`, at most
// `steps` times.
std::vector<double> settle_weights(std::span<const double> log_likelihoods, std::vector<double> client,
                                   std::size_t steps, double tolerance = 1e-6);

}  // namespace coterie
