// What clients tell once of their own coefficients, for statistics about clients (src/groups): estimates with
// covariances, replicates under the hypothesis that all clients are alike, and resamples of rows.
//
// The server finds w, the minimum over everybody's rows, and H, the mean curvature there, by Newton's method
// (methods/newton.h). The eigenvectors U of H whose eigenvalues L are above `least` times the largest give
// the common coordinates
//
//   u = L^(1/2) U' (v - w),     v = w + U L^(-1/2) u
//
// of a model v. In them H is the identity, so units of columns do not matter; columns that depend on each
// other and softmax's redundancy are gone. Raw rows never travel.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

struct Estimates;   // groups/estimate.h
struct Replicates;  // groups/homogeneity.h

struct EstimateOptions {
  std::size_t most = 40;         // coordinates: those with the largest eigenvalues
  double least = 1e-8;           // eigenvalue, beside the largest
  double rows_each = 3;          // rows (or lots of them) of the median client for each coordinate, at least
  std::size_t replicates = 199;  // of the wild bootstrap
  std::size_t resamples = 50;    // of rows
  // Squared residuals are divided by 1 - h (2: HC2, right on average under equal noise), or by its square (3:
  // HC3, too wide by about n / (n - q)); h is a row's leverage.
  std::int64_t hc = 2;
};

struct ClientEstimates {
  std::size_t width = 0;            // q, coordinates
  std::vector<ClientId> clients;    // who is in the statistics, ascending; the m of what follows
  Vec b;                            // m x q: estimates
  Vec v;                            // m x q x q: their covariances
  Vec curvature;                    // m x q x q: summed over the client's rows, positive definite
  Vec rows;                         // m: rows; where rows belong together (Samples::kin), lots of them
  Vec misfit;                       // m: how a client's residuals go with its squared scores; 0: no telling
  double neighbours_product = 0;    // sum over clients of how residuals go with the next row's
  double neighbours_pairs = 0;      // of rows that are next to each other in a client's file
  std::size_t replicates = 0;       // that were made
  Vec replicate_sums;               // replicates x (q + 1): sums over clients of V*^-1 d* and d*' V*^-1 d*
  std::vector<Vec> resampled;       // one for each resample: m x q
  Vec centre;                       // w, the one model of everybody
  Vec basis;                        // size x q: v = w + basis u
  Vec eigenvalues;                  // of the coordinates, largest first
  Vec pooled;                       // size x size: H
  double loss = 0;                  // mean objective at w
  std::vector<ClientId> too_few;    // clients with fewer of them than max(q + 3, 8): not in the statistics
  std::vector<ClientId> no_answer;  // others that are not in them
  std::size_t flat = 0;             // directions without information
  std::size_t cut = 0;              // directions beyond `most`, or too many for the clients' rows
  bool converged = true;            // w met its tolerance

  std::size_t least_rows() const;  // max(q + 3, 8)
  // The model with these coordinates.
  Vec model_at(std::span<const double> u) const;
};

// "" when it can be asked for with this model; else why not, in a sentence for the user: the model is not
// convex, or has more than 1,000 parameters.
std::string why_no_estimates(const Model& model);

// The jobs that clients must know: those of the start "mixture", for instance.
std::vector<const AnyJob*> estimate_jobs();

// Asks these clients, in a round or inside Fleet::before_rounds; twice where rows belong together, and lots
// of them afford fewer coordinates than rows. Clients' replies are taken some hundred at a time, so only what
// is kept of them takes memory. Throws Error where why_no_estimates() says so, or when no client answers.
// With fewer than two usable clients the statistics are there, but say nothing.
ClientEstimates ask_estimates(Fleet& fleet, const Setting& setting, std::span<const ClientId> clients,
                              const EstimateOptions& options = {});
// The same for all clients, before the rounds. Clients keep nothing of it.
ClientEstimates ask_estimates(Fleet& fleet, const Setting& setting, const EstimateOptions& options = {});

// As the statistics want them.
Estimates estimates_of(const ClientEstimates& told);
Replicates replicates_of(const ClientEstimates& told);

}  // namespace coterie
