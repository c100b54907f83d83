// What clients do in FedMD's first phase (inits/fedmd): a descent direction for each sample, products by the
// moments of pairs of them, and the step of an anchor.
#pragma once

#include "coterie/fleet.h"

namespace coterie {

// epsilon(x_j, y_j, w) = - gradient of sample j's loss at w: of the first `count` training samples, one row
// each. For squared loss (y - <x, w>) x; by the model's own gradient for other losses (Remark 3).
Vec residuals(ClientView& view, const Shared& w, std::size_t count);

// --- the units of the data, at an anchor -------------------------------------------------------------------
struct SizesNote {
  Items items;  // theta_0
  void fields(Archive& a) { a(items); }
};
struct SizesReply {
  double residual = 0;  // mean |epsilon(x, y, theta_0)|^2: what the numbers of Y are of the order of
  double slope = 0;  // mean |epsilon(x, y, 0)| + |epsilon(x, y, v) - epsilon(x, y, 0)|, v = the unit vector
                     // along (1, ..., 1): the same for gradients
  void fields(Archive& a) { a(residual, slope); }
};

extern const Job<SizesNote, SizesReply> kSizes;

// --- one multiplication of Algorithm 3, for all anchors at once --------------------------------------------
struct MultiplyNote {
  Items items;    // a matrix Q for each anchor, k x parameters; with the first ask, each anchor's model after
                  // them
  Vec perturbed;  // instead of those models: two of this client's own for each anchor (Remark 2)
  std::uint32_t anchors = 0;
  bool transposed = false;  // by Y', the even steps
  bool whole = false;       // Y itself rather than a product by it: no Q is sent
  bool one_pair = false;    // of the first two samples, else all pairs
  double scale = 1;         // products are divided by it, so that sums of any size keep their digits
  void fields(Archive& a) {
    a(items, perturbed);
    a.overhead([&] { a(anchors, transposed, whole, one_pair, scale); });
  }
};
struct MultiplyReply {
  Numbers products;  // anchor by anchor
  void fields(Archive& a) { a(products); }
};

extern const Job<MultiplyNote, MultiplyReply> kMultiply;

// --- lines 11 to 15 of Phase 1, at an anchor ---------------------------------------------------------------
constexpr std::uint32_t kMostPowerSteps = 100000;

struct DescendNote {
  Items items;  // two: U_{i,t}, k x parameters, and theta_{i,t}
  std::uint32_t item = 0;
  bool one_pair = false;            // halves of the samples paired as printed, else all pairs
  std::uint32_t portion = 0;        // fresh data: which of how many portions of the samples to use
  std::uint32_t portions = 0;       // 0: all samples
  std::uint32_t power_steps = 100;  // T_2
  double step = 0.5;                // alpha / (2 beta^2)
  double enough = 0;                // stop where sigma_hat is at most epsilon alpha Delta / sqrt 2
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(item, one_pair, portion, portions, power_steps, step, enough); });
  }
};
struct DescendReply {
  Numbers model;      // theta_{i,t+1}
  double square = 0;  // sigma_hat^2
  bool stopped = false;
  void fields(Archive& a) {
    a(model, square);
    a.overhead([&] { a(stopped); });
  }
};

extern const Job<DescendNote, DescendReply> kDescend;

}  // namespace coterie
