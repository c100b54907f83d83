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
  void bind(const Shape& shape, std::uint64_t) override {
    if (shape.task != Task::regression || shape.width < 3 ||
        (shape.width > kPieceWidth && shape.width % kPieceWidth != 0)) {
      throw Error(
          "model.kind = \"polynomial\" works on samples that are losses: a beginning, a centre and at least "
          "one "
          "coefficient; use it with data.source = \"polynomial\"");
    }
    width_ = shape.width;
  }

  std::size_t size() const override { return 1; }
  std::vector<Layer> layers() const override { return {{"variable", 0, 1, 1}}; }
  std::size_t feature_width() const override { return 1; }
  double forward_flops() const override { return 2.0 * kPieceWidth; }
  double gradient_flops() const override { return 4.0 * kPieceWidth; }
  void init(Vec& parameters, Stream& stream) const override {
    parameters = {stream.uniform(-init_scale_, init_scale_)};
  }
  void predict(std::span<const float> w, const Batch<float>&, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), static_cast<double>(w[0]));
  }
  void predict(std::span<const double> w, const Batch<double>&, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), w[0]);
  }
  void features(std::span<const float>, const Batch<float>&, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 1.0f);
  }
  void features(std::span<const double>, const Batch<double>&, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 1.0);
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

 private:
  double init_scale_ = 1;
};

const Registration<Model> kPolynomial{"polynomial", "one variable whose losses are piecewise polynomials",
                                      [] { return std::make_unique<Polynomial>(); }};

}  // namespace
}  // namespace coterie
