// Losses that are piecewise polynomials of one variable, dealt to clients: for worked examples, with the
// model "polynomial", whose samples these are. A generator: a sample of a kind of client is one of its
// losses, drawn evenly.
//
//   pieces = [[0, 0, 0, 0,  0, 0, 1],               # kind 0: x^2
//             [1, 0, 0, 1,  1, 0, 0, 4, 3],         # kind 1: 1 + 4 (x-1)^3 + 3 (x-1)^4 below 1,
//             [1, 0, 1, 1,  1, 0, 8],               #         1 + 8 (x-1)^2 from there on
//             [2, 0, 0, 0,  0, 0, 0.5],             # kind 2: evenly x^2 / 2
//             [2, 1, 0, 1,  0, 0, 0.5]]             #         and (x-1)^2 / 2
//   clusters = [0, 0, 1]                            # kinds 0 and 1 are one true cluster
//
// Each list is a piece: the kind of client, which of its losses, from where on it holds, its centre, and
// coefficients by rising power. With clients.deal = "in-turn" and as many clients as kinds, client i is of
// kind i.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "coterie/source.h"

namespace coterie {
namespace {

constexpr std::size_t kPieceWidth =
    7;                              // numbers that the model reads for a piece: beginning, centre, powers 0-4
constexpr std::size_t kBefore = 2;  // numbers of a list that say whose it is

using Lists = std::vector<std::vector<double>>;

class Losses : public Population {
 public:
  Losses(const Lists& pieces, const std::vector<std::int64_t>& clusters) {
    for (const auto& piece : pieces) {
      const auto kind = static_cast<std::size_t>(piece[0]), loss = static_cast<std::size_t>(piece[1]);
      kinds_.resize(std::max(kinds_.size(), kind + 1));
      kinds_[kind].resize(std::max(kinds_[kind].size(), loss + 1));
      Vec& row = kinds_[kind][loss];
      row.insert(row.end(), piece.begin() + kBefore, piece.end());
      row.resize((row.size() + kPieceWidth - 1) / kPieceWidth * kPieceWidth, 0.0);
    }
    shape_.task = Task::regression;
    for (const auto& kind : kinds_) {
      for (const Vec& row : kind) shape_.width = std::max(shape_.width, row.size());
    }
    // Pieces that a loss does not have begin beyond every float.
    for (auto& kind : kinds_) {
      for (Vec& row : kind) {
        while (row.size() < shape_.width) {
          row.push_back(std::numeric_limits<double>::infinity());
          row.resize(row.size() + kPieceWidth - 1, 0.0);
        }
      }
    }
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      clusters_.push_back(
          static_cast<std::uint32_t>(clusters.empty() ? static_cast<std::int64_t>(k) : clusters[k]));
    }
  }

  const Shape& shape() const override { return shape_; }
  std::size_t groups() const override { return kinds_.size(); }
  std::uint32_t cluster_of(std::size_t group) const override { return clusters_.at(group); }
  Samples draw(std::size_t group, std::size_t count, Stream& stream) const override {
    const std::vector<Vec>& losses = kinds_.at(group);
    Vec features;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec& row = losses[losses.size() > 1 ? stream.below(losses.size()) : 0];
      features.insert(features.end(), row.begin(), row.end());
    }
    Samples samples;
    samples.shape = shape_;
    samples.features = std::move(features);
    samples.targets.assign(count, 0.0);
    return samples;
  }

 private:
  Shape shape_;
  std::vector<std::vector<Vec>> kinds_;  // the losses of each kind, as rows
  std::vector<std::uint32_t> clusters_;
};

class PolynomialSource : public Source {
 public:
  void options(Options& o) override {
    o("pieces", &pieces_,
      "a list for each piece of a loss: kind of client, which of its losses, from where on, centre, and up "
      "to "
      "five coefficients by rising power of (x - centre); the first piece of a loss also holds before");
    o("clusters", &clusters_, "true cluster of each kind of client; each is one of its own unless given",
      at_least(0));
    const std::string mistake = mistake_in(pieces_);
    o.require(mistake.empty(), "pieces", mistake);
    if (!mistake.empty()) return;
    const auto kinds = static_cast<std::size_t>(pieces_.back()[0]) + 1;
    o.require(clusters_.empty() || clusters_.size() == kinds, "clusters",
              "must have a number for each of the " + std::to_string(kinds) + " kinds");
  }
  std::unique_ptr<Population> open(const SourceContext&) const override {
    return std::make_unique<Losses>(pieces_, clusters_);
  }

 private:
  // Kinds, losses and beginnings must be in order, none left out.
  static std::string mistake_in(const Lists& pieces) {
    if (pieces.empty()) return "needs at least one piece";
    double kind = 0, loss = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const auto& piece = pieces[p];
      if (piece.size() < kBefore + 3 || piece.size() > kBefore + kPieceWidth) {
        return "each list must have 5 to 9 numbers: kind, loss, beginning, centre, coefficients";
      }
      if (!std::all_of(piece.begin(), piece.end(), [](double x) { return std::isfinite(x); })) {
        return "must have finite numbers only";
      }
      const bool same = piece[0] == kind && piece[1] == loss;
      const bool next =
          p > 0 && ((piece[0] == kind && piece[1] == loss + 1) || (piece[0] == kind + 1 && piece[1] == 0));
      if (!same && !next) return "must go by kind and then by loss, both from 0 and without gaps";
      if (p > 0 && same && piece[2] <= pieces[p - 1][2]) return "must have the pieces of a loss in order";
      kind = piece[0];
      loss = piece[1];
    }
    return "";
  }

  Lists pieces_ = {{0, 0, 0, 0, 0, 0, 1}, {1, 0, 0, 1, 0, 0, 1}};
  std::vector<std::int64_t> clusters_;
};

const Registration<Source> kPolynomial{"polynomial", "losses that are piecewise polynomials of one variable",
                                       [] { return std::make_unique<PolynomialSource>(); }};

}  // namespace
}  // namespace coterie
