// One variable w, and losses that are piecewise polynomials of it: each sample is such a loss, and a client's
// objective is the mean of its samples'. For worked examples and counter-examples, with the source
// "polynomial".
//
// A sample is a row of pieces, kPieceWidth numbers each: where the piece begins, its centre c, and the
// coefficients a_k of  sum_k a_k (w - c)^k. A piece holds from its beginning up to that of the next; the
// first holds before as well. A row that ends early has zeros for the rest. Targets are not read.
//
// The prediction is w itself, whatever the sample.
#include "models/plain_model.h"

namespace coterie {
namespace {

constexpr std::size_t kPieceWidth = 7;  // up to the fourth power

class Polynomial : public PlainModel<Polynomial> {
 public:
  void options(Options& o) override {
    o("init_scale", &init_scale_, "a start is uniform on +- this", above(0));
  }
  double forward_flops() const override { return 2.0 * kPieceWidth; }
  double gradient_flops() const override { return 4.0 * kPieceWidth; }
  void init(Vec& parameters, Stream& stream) const override {
    parameters = {stream.uniform(-init_scale_, init_scale_)};
  }

  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>&, std::span<double> out) const {
    std::fill(out.begin(), out.end(), static_cast<double>(w[0]));
  }
  template <class Real>
  void features_as(std::span<const Real>, const Batch<Real>&, std::span<Real> out) const {
    std::fill(out.begin(), out.end(), Real(1));
  }
  template <class Real>
  double loss_of(std::span<const Real> w, std::span<const Real> row, double weight,
                 std::span<double> gradient) const {
    const auto at = static_cast<double>(w[0]);
    std::size_t begin = 0;
    while (begin + kPieceWidth < row.size() && at >= static_cast<double>(row[begin + kPieceWidth])) {
      begin += kPieceWidth;
    }
    const std::span<const Real> piece = row.subspan(begin, std::min(kPieceWidth, row.size() - begin));
    const double x = at - static_cast<double>(piece[1]);
    double value = 0, slope = 0;
    for (std::size_t k = piece.size(); k-- > 2;) {
      slope = slope * x + value;
      value = value * x + static_cast<double>(piece[k]);
    }
    if (!gradient.empty()) gradient[0] += weight * slope;
    return value;
  }

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t) override {
    if (shape.task != Task::regression || shape.width < 3 ||
        (shape.width > kPieceWidth && shape.width % kPieceWidth != 0)) {
      throw Error(
          "model.kind = \"polynomial\" works on samples that are losses: a beginning, a centre and at least "
          "one "
          "coefficient; use it with data.source = \"polynomial\"");
    }
    return {{.name = "variable", .shape = {1}}};
  }

 private:
  double init_scale_ = 1;
};

const Registration<Model> kPolynomial{"polynomial", "one variable whose losses are piecewise polynomials",
                                      [] { return std::make_unique<Polynomial>(); }};

}  // namespace
}  // namespace coterie
