// Several models that share their extractor, as one model: its parameters are the extractor, then the heads.
//
//   objective   (1/rows) sum_j sum_k gamma_jk loss_k(row_j)  +  l2/2 |parameters|^2
//
// whose gradients by the heads and by the extractor are eqs. (6) and (7). The config's solver trains it as it
// trains any model. Either part may be frozen. The products of the first layer are done once for all heads;
// with a frozen extractor not at all: rows are then their sums under it.
//
// A solver knows one weight for each row, but here there are as many as heads: the weights that it is given
// are the numbers of the rows, in which gamma is looked up.
#pragma once

#include <vector>

#include "coterie/methods/first_layer.h"
#include "coterie/model.h"

namespace coterie {

class HeadsModel : public ModelOf<HeadsModel> {
 public:
  enum class Trains { both, heads, extractor };
  // `frozen` holds all parameters, of which those that are not trained are read. gamma: rows x heads.
  HeadsModel(const Model& inner, std::size_t heads, std::span<const double> gamma, Trains trains, Vec frozen);

  // Whether a model can share its extractor: it has one, which begins with its whole first layer, and no
  // buffers, which belong to neither part.
  static bool can_share(const Model& inner) {
    return inner.head() > 0 && inner.trainable() == inner.size() &&
           (inner.first_layer() == nullptr || inner.first_layer()->size() <= inner.head());
  }
  // Whether rows are sums under the first layer.
  bool on_sums() const { return trains_ == Trains::heads && inner_.first_layer() != nullptr; }

  void init(Vec&, Stream&) const override { unasked(); }
  double l2() const override { return inner_.l2(); }
  bool penalises(const Layer& layer) const override { return inner_.penalises(layer); }
  const FirstLayer* first_layer() const override { return first_.inputs() > 0 ? &first_ : nullptr; }

  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                     StepContext<Real>* step) const;
  template <class Real>
  const Real* inputs_of(const Batch<Real>& batch) const {
    return inner_.first_layer()->first_inputs(batch);
  }
  template <class Real>
  double gradient_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                     std::span<const double> rows, double share, std::span<Real> out) const;

  // What no solver asks of a model that it trains.
  template <class... Any>
  void losses_as(Any&&...) const {
    unasked();
  }
  template <class... Any>
  void predict_as(Any&&...) const {
    unasked();
  }
  template <class... Any>
  void features_as(Any&&...) const {
    unasked();
  }
  template <class... Any>
  void losses_of(Any&&...) const {
    unasked();
  }
  template <class... Any>
  void outputs_of(Any&&...) const {
    unasked();
  }
  template <class... Any>
  void norms_of(Any&&...) const {
    unasked();
  }

 protected:
  std::vector<Layer> build(const Shape&, std::uint64_t) override { return trained_layers(); }

 private:
  static void unasked() { check(false, "a solver asked a model of heads for more than gradients"); }
  std::vector<Layer> trained_layers() const;
  std::size_t head_size() const { return inner_.size() - inner_.head(); }
  template <class Real>
  std::vector<Real> whole(std::span<const Real> w) const;
  template <class Real>
  std::vector<Real> behind(std::span<const Real> tail) const;
  template <class Real>
  double tails(std::span<const Real> all, std::span<Real> sums, std::span<const double> y,
               std::span<const double> rows, double share, std::span<Real> out) const;
  template <class Real>
  double wholes(std::span<const Real> all, const Batch<Real>& batch, std::span<Real> out,
                StepContext<Real>* step) const;
  template <class Real>
  double through(std::span<const Real> all, const Batch<Real>& batch, std::span<Real> out,
                 StepContext<Real>* step) const;
  std::span<const double> column(std::size_t head, std::span<const double> rows) const;

  const Model& inner_;
  std::size_t heads_;
  std::span<const double> gamma_;
  Trains trains_;
  Vec frozen_;
  FirstLayerOf<HeadsModel> first_;
};

}  // namespace coterie
