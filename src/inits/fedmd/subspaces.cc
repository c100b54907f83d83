#include "inits/fedmd/subspaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/methods/slots.h"
#include "inits/fedmd/clients.h"
#include "math/orthonormal.h"
#include "math/singular.h"

namespace coterie {
namespace {

// Asks of the server's streams.
enum : std::uint16_t { kDirections = 32, kPerturb };
// How far a product may exceed the last ask's largest mean.
constexpr double kProductLimit = 16777216;

void refuse_huge(std::size_t numbers) {
  constexpr std::size_t kMost = std::size_t{1} << 27;
  if (numbers <= kMost) return;
  throw Error(fmt::format(
      "clusters.fedmd.subspace = \"svd\" asks each client for {:.1f} GB: a matrix of parameters x "
      "parameters for each anchor; use \"iteration\"",
      8e-9 * static_cast<double>(numbers)));
}

}  // namespace

std::vector<Vec> Subspaces::find(AnchorDescent& descent, std::size_t directions) const {
  const std::size_t size = context_.setting.model.size();
  std::vector<Vec> q;
  if (options_.subspace == "svd") {
    refuse_huge(descent.moving().size() * size * size);
    for (const Vec& y : products(descent, {}, size, true, false)) {
      q.push_back(top_left_vectors(Matrix<const double>(y.data(), size, size), directions));
    }
    return q;
  }
  for (const std::size_t a : descent.moving()) {
    Stream stream(context_.setting.seed, {Purpose::server, round_, kDirections, descent.anchors[a]});
    q.emplace_back(directions * size);
    stream.normals(q.back());
    orthonormalise(q.back(), size);
  }
  for (std::int64_t u = 0; u < options_.iterations; ++u) {
    const bool even = u % 2 == 0;
    q = products(descent, q, directions, u == 0, even);
    for (Vec& one : q) {
      if (!even) orthonormalise(one, size);
    }
  }
  return q;
}

std::vector<Vec> Subspaces::products(AnchorDescent& descent, const std::vector<Vec>& q, std::size_t rows,
                                     bool first, bool transposed) const {
  const std::vector<std::size_t> moving = descent.moving();
  const std::size_t width = rows * context_.setting.model.size();
  std::vector<Vec> items = q;
  for (const std::size_t a : moving) {
    if (first && options_.noise == 0) items.push_back(descent.models[a]);
  }
  auto note_of = [&](ClientId i) {
    MultiplyNote note;
    note.anchors = static_cast<std::uint32_t>(moving.size());
    note.transposed = transposed;
    note.whole = q.empty();
    note.one_pair = options_.one_pair();
    note.scale = descent.scale;
    if (first && options_.noise > 0) note.perturbed = perturbed(descent, moving, i);
    return note;
  };
  double total = 0;
  for (const ClientId i : cohort_) total += options_.weight_of(context_.fleet.samples(i));
  Sums sums(1, moving.size() * width, 1, kProductLimit);
  IntoSlots<MultiplyReply> fold(sums, &MultiplyReply::products, [&](ClientId i, const MultiplyReply&) {
    return SlotWeight{0, options_.weight_of(context_.fleet.samples(i)) / total};
  });
  context_.fleet.ask(kMultiply, cohort_, Shelf(items, context_.fleet.precision()), note_of, {&fold});
  const Vec mean = sums.mean_or(0, Vec(moving.size() * width, 0.0));
  double largest = 0;
  for (const double value : mean) largest = std::max(largest, std::fabs(value));
  if (largest == 0) largest = 1;
  descent.scale *= largest;
  std::vector<Vec> out;
  for (std::size_t a = 0; a < moving.size(); ++a) {
    out.emplace_back(width);
    for (std::size_t j = 0; j < width; ++j) out[a][j] = mean[a * width + j] / largest;
  }
  return out;
}

Vec Subspaces::perturbed(const AnchorDescent& descent, const std::vector<std::size_t>& moving,
                         ClientId client) const {
  Stream stream(context_.setting.seed, {Purpose::server, round_, kPerturb, client});
  Vec out;
  for (const std::size_t a : moving) {
    for (int copy = 0; copy < 2; ++copy) {
      for (const double value : descent.models[a]) out.push_back(value + options_.noise * stream.normal());
    }
  }
  return out;
}

}  // namespace coterie
