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

#include "coterie/model.h"

namespace coterie {

class HeadsModel : public Model {
 public:
  enum class Trains { both, heads, extractor };
  // `frozen` holds all parameters, of which those that are not trained are read. gamma: rows x heads.
  HeadsModel(const Model& inner, std::size_t heads, std::span<const double> gamma, Trains trains, Vec frozen);

  // Whether a model can share its extractor: it has one, which begins with its whole first layer.
  static bool can_share(const Model& inner) {
    return inner.head() > 0 && inner.first_layer().size() <= inner.head();
  }
  // Whether rows are sums under the first layer.
  bool on_sums() const { return trains_ == Trains::heads && inner_.first_layer().inputs > 0; }

  void options(Options&) override {}
  void bind(const Shape&, std::uint64_t) override {}
  std::size_t size() const override;
  std::vector<Layer> layers() const override { return {{"all", 0, 1, size()}}; }
  std::size_t outputs() const override { return inner_.outputs(); }
  std::size_t feature_width() const override { return inner_.feature_width(); }
  std::size_t head() const override { return 0; }
  double l2() const override { return inner_.l2(); }
  FirstLayer first_layer() const override;
  std::size_t depth() const override { return inner_.depth(); }
  void init(Vec&, Stream&) const override {}
  double forward_flops() const override { return inner_.forward_flops(); }
  double gradient_flops() const override { return inner_.gradient_flops(); }

  double gradient(std::span<const float> w, const Batch<float>& batch, std::span<float> out) const override;
  double gradient(std::span<const double> w, const Batch<double>& batch,
                  std::span<double> out) const override;
  const float* first_inputs(const Batch<float>& batch) const override { return inner_.first_inputs(batch); }
  const double* first_inputs(const Batch<double>& batch) const override { return inner_.first_inputs(batch); }
  double tail_gradient(std::span<const float> tail, std::span<float> sums, std::span<const double> y,
                       std::span<const double> rows, double share, std::span<float> out) const override;
  double tail_gradient(std::span<const double> tail, std::span<double> sums, std::span<const double> y,
                       std::span<const double> rows, double share, std::span<double> out) const override;

  // What no solver asks of a model that it trains.
  void losses(std::span<const float>, const Batch<float>&, std::span<double>) const override { unasked(); }
  void losses(std::span<const double>, const Batch<double>&, std::span<double>) const override { unasked(); }
  void predict(std::span<const float>, const Batch<float>&, std::span<double>) const override { unasked(); }
  void predict(std::span<const double>, const Batch<double>&, std::span<double>) const override { unasked(); }
  void features(std::span<const float>, const Batch<float>&, std::span<float>) const override { unasked(); }
  void features(std::span<const double>, const Batch<double>&, std::span<double>) const override {
    unasked();
  }
  void tail_losses(std::span<const float>, std::span<float>, std::span<const double>,
                   std::span<double>) const override {
    unasked();
  }
  void tail_losses(std::span<const double>, std::span<double>, std::span<const double>,
                   std::span<double>) const override {
    unasked();
  }
  void tail_outputs(std::span<const float>, std::span<float>, std::span<double>) const override { unasked(); }
  void tail_outputs(std::span<const double>, std::span<double>, std::span<double>) const override {
    unasked();
  }
  void tail_norms(std::span<const float>, std::span<float>, std::span<const double>, std::span<double>,
                  std::span<double>, std::span<double>) const override {
    unasked();
  }
  void tail_norms(std::span<const double>, std::span<double>, std::span<const double>, std::span<double>,
                  std::span<double>, std::span<double>) const override {
    unasked();
  }

 private:
  static void unasked() { check(false, "a solver asked a model of heads for more than gradients"); }
  std::size_t head_size() const { return inner_.size() - inner_.head(); }
  template <class Real>
  std::vector<Real> whole(std::span<const Real> w) const;
  template <class Real>
  std::vector<Real> behind(std::span<const Real> tail) const;
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const;
  template <class Real>
  double tails(std::span<const Real> all, std::span<Real> sums, std::span<const double> y,
               std::span<const double> rows, double share, std::span<Real> out) const;
  template <class Real>
  double wholes(std::span<const Real> all, const Batch<Real>& batch, std::span<Real> out) const;
  template <class Real>
  double tail_gradient_as(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                          std::span<const double> rows, double share, std::span<Real> out) const;
  std::span<const double> column(std::size_t head, std::span<const double> rows) const;

  const Model& inner_;
  std::size_t heads_;
  std::span<const double> gamma_;
  Trains trains_;
  Vec frozen_;
};

}  // namespace coterie
