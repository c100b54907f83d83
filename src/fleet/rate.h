// The rate of local training that suits all clients, where a config has local.rate = "auto". Clients are
// asked before the run, and what is found becomes part of the agreement.
//
//   scores linear in all parameters (linear, logistic, softmax): the slopes of a client's loss change by at
//     most L times the way between two points, L being the largest eigenvalue of the second moments of its
//     rows times the steepest change of a row's slope (2 factor for squares, 1/4 logistic, 1/2 softmax).
//     Steps of up to 2 / L do not grow. For steps on b of n rows it is the expected smoothness of Gower et
//     al. (2019, Proposition 3.8),
//       L_b = n (b - 1) / (b (n - 1)) L  +  (n - b) / (b (n - 1)) max_j L_j ,
//     L_j that of row j alone. The rate is 1 over L_b, as the solver turns it into one: of squared errors
//     over that of the client where it is largest, since one rate must suit all of them. Losses of classes
//     have slopes that stay bounded, so no step can make the next one longer without end: there the middle
//     client decides, and neither an odd client nor a liar can hold up the others. Methods that take one
//     step on a client's gradient instead of training get a second rate by the same rule: 1 over L_b, b
//     being the rows of that gradient.
//   other models, and solvers that have no such rule: some clients train a random model for a round with each
//     of many rates. A rate is good when the mean of their losses falls and none of them is much above where
//     it began. Taken is the good rate with the lowest mean, but at most half of the largest good one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

struct CurvatureNote {
  Items items = Items::none();
  std::uint64_t gradient_rows = 0;  // Algorithm::steps_on_gradients
  void fields(Archive& a) { a(items, gradient_rows); }
};
struct CurvatureReply {
  double smoothness = 0;   // L_b of the solver's steps, with the L2 term; 0: it has no rows
  double of_gradient = 0;  // L_b of a step on its gradient
  void fields(Archive& a) { a(smoothness, of_gradient); }
};
const Job<CurvatureNote, CurvatureReply>& curvature_job();

struct RatesNote {
  Items items;  // the model to train
  std::vector<double> rates;
  void fields(Archive& a) { a(items, rates); }
};
struct RatesReply {
  struct Loss {
    double value = 0;
    bool finite = false;
    void fields(Archive& a) { a(value, finite); }
  };
  Loss before;
  std::vector<Loss> after;  // one for each rate
  void fields(Archive& a) { a(before, after); }
};
const Job<RatesNote, RatesReply>& rates_job();

struct AgreedRate {
  double rate = 0;
  double of_gradient = 0;  // for one step on a client's gradient
  std::string text;        // how it was found, for the user
  std::string warning;     // what is wrong with the data, if anything
  std::vector<std::pair<std::string, double>> numbers;
};
// Asks clients and finds the rate; `gradient_rows`: of Algorithm::steps_on_gradients. Throws Error when there
// is none, with the reason.
AgreedRate find_rate(Fleet& fleet, const Setting& setting, std::optional<std::size_t> gradient_rows = {});

}  // namespace coterie
