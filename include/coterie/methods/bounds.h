// How far a client's loss under a model can have moved since the client last evaluated it: lets a server tell
// which models cannot be a client's best, and not send them. Exact: a model is left out only when it would
// have lost.
//
// At an evaluation at time s a client notes, besides its mean loss L, the means over its rows of  g, g|x|,
// g|h|, |x|, |h|  with g = |d loss / d scores|, x the model's inputs and h those of its last layer. Losses
// are convex in the scores, ReLU is 1-Lipschitz, and a common shift of all class scores is free (P projects
// it away), so for the model at time t
//
//   one hidden layer   L(t) >= L(s) - [ |P W2'| (|dW1| c1 + |db1| c0) + |P dW2| c2 + |P db2| c0 ]
//   linear scores      L(t) >= L(s) - [ |P dW| c1 + |P db| c0 ]
//   squared loss       rmse(t) >= rmse(s) - |X| |dw| / sqrt n - |db|
//
// and the own model's loss is bounded from above likewise, with the largest possible g. d is the change from
// s to t; norms of matrices are operator norms, bounded from above. Models are compared by objective
// (choose.h): to the bounds of L comes each model's L2 term, which the server knows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "coterie/methods/choose.h"

namespace coterie {

// One model's evaluation by a client: what the server's bounds are made of.
struct Evidence {
  std::uint32_t model = 0;
  Vec figures;
  void fields(Archive& a) {
    a(model);
    a.about_sender(figures);
  }
};

// Whether bounds are known for a model: one with linear scores, or one hidden layer and classes.
bool has_loss_bounds(const Model& model);

// A client's choice among the models on its shelf, all of them evaluated on all rows: the same as choose(),
// with evidence of each.
struct Weighed {
  Choice choice;
  std::vector<Evidence> seen;
};
Weighed weigh(ClientView& client, const Shelf& shelf);

// The server's book of evidence, and of how far each model has come since.
class BoundBook {
 public:
  BoundBook() = default;
  BoundBook(const Model& model, Precision precision);

  // The models that are about to be evaluated.
  void enter(const std::vector<Vec>& models);
  // Whether model k, as entered, is certain to have a higher objective on the client's rows than its own.
  bool hopeless(ClientId client, std::uint32_t k, std::uint32_t own) const;
  // Takes down an evaluation of the models entered last. Figures that make no sense are as good as none.
  void learn(ClientId client, const Evidence& evidence);
  void fields(Archive& a);

 private:
  // Norms of a change of one model. Each obeys the triangle inequality.
  struct Change {
    double weight1 = 0, bias1 = 0, weight2 = 0, bias2 = 0;
    void add(const Change& more, double factor = 1);
    void fields(Archive& a) { a(weight1, bias1, weight2, bias2); }
  };
  struct Snapshot {
    std::uint32_t time = 0;
    std::vector<Vec> models;
    std::vector<Change> to_now;
    void fields(Archive& a) { a(time, models, to_now); }
  };
  struct Entry {
    std::uint32_t time = 0;  // 0: never evaluated
    double figures[6] = {};
    void fields(Archive& a) {
      a(time);
      for (double& figure : figures) a(figure);
    }
  };

  Change between(const Vec& before, const Vec& after) const;
  Change since(std::uint32_t time, std::uint32_t k) const;
  double lowest(const Entry& entry, std::uint32_t k) const;
  double highest(const Entry& entry, std::uint32_t k) const;
  void thin_out();
  void find_penalties();

  const Model* model_ = nullptr;
  bool single_ = false;  // models travel as float
  double rounding_ = 0;  // of a product of the clients' arithmetic, relative to the norms of its factors
  std::uint64_t models_ = 0;
  std::uint32_t now_ = 0;
  std::vector<Vec> last_;  // the models entered last
  // By time: how far each model has gone since the first, round by round.
  std::vector<std::vector<Change>> ways_;
  std::vector<Snapshot> snapshots_;
  std::vector<double> penalties_;  // the L2 term of each model, as entered
  std::vector<double> heads_;      // |P W2| of each model, as entered
  std::vector<Change> sizes_;      // and the norms of its layers
  std::vector<Entry> entries_;     // client x model, as far as clients were heard of
};

}  // namespace coterie
