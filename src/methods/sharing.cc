#include "coterie/methods/sharing.h"

#include <algorithm>

namespace coterie {

Sharing::Sharing(const Model& model, const std::vector<std::string>& names, const std::string& option)
    : size_(static_cast<std::uint32_t>(model.size())) {
  const std::vector<Layer>& layers = model.layers();
  auto fits = [](const Layer& layer, const std::string& name) { return layer.name.starts_with(name); };
  for (const std::string& name : names) {
    if (std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) { return fits(layer, name); }))
      continue;
    std::string known;
    for (const Layer& layer : layers) known += (known.empty() ? "" : ", ") + layer.name;
    throw Error(option + ": the model has no layer \"" + name + "\"; it has " + known);
  }
  std::size_t shared = 0;
  for (const Layer& layer : layers) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return fits(layer, name); }))
      continue;
    ranges_.emplace_back(static_cast<std::uint32_t>(layer.offset), static_cast<std::uint32_t>(layer.size()));
    shared += layer.size();
  }
  if (shared == size_) {
    throw Error(
        option +
        " names all layers, so that clusters would have nothing of their own; leave out the last, or " +
        "use algorithm.kind = \"fedavg\"");
  }
}

// Calls back with (is shared, first parameter, count) for the pieces of a model in order.
template <class Piece>
void Sharing::pieces(const Piece& piece) const {
  std::size_t at = 0;
  for (const auto& [begin, count] : ranges_) {
    if (begin > at) piece(false, at, begin - at);
    piece(true, begin, count);
    at = begin + count;
  }
  if (at < size_) piece(false, at, size_ - at);
}

std::pair<Vec, Vec> Sharing::split(const Vec& whole) const {
  if (!any()) return {{}, whole};
  check(whole.size() == size_, "a model of another size");
  std::pair<Vec, Vec> parts;
  pieces([&](bool shared, std::size_t first, std::size_t count) {
    Vec& to = shared ? parts.first : parts.second;
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  });
  return parts;
}

Vec Sharing::join(const Vec& common, const Vec& own) const {
  if (!any()) return own;
  std::size_t shared = 0, end = 0;
  bool fits = common.size() + own.size() == size_;
  for (const auto& [begin, count] : ranges_) {
    fits = fits && begin >= end && count <= size_ && begin <= size_ - count;
    end = begin + count;
    shared += count;
  }
  if (!fits || shared != common.size()) throw Error("the parts of a model do not fit together");
  Vec whole;
  auto next_common = common.begin();
  auto next_own = own.begin();
  pieces([&](bool shared, std::size_t, std::size_t count) {
    auto& next = shared ? next_common : next_own;
    whole.insert(whole.end(), next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  });
  return whole;
}

Shelf Sharing::join(const Shelf& shelf, Precision precision) const {
  if (!any()) return shelf;
  struct Joined {
    Shared common, own, whole;
  };
  static thread_local std::vector<Joined> recent;
  const std::size_t models = shelf.size() - 1;
  const Shared& common = shelf[models];
  if (!recent.empty() && !recent.front().common.is(common)) recent.clear();
  Shelf whole;
  for (std::size_t k = 0; k < models; ++k) {
    if (!shelf.has(k)) {
      whole.add(Shared());
      continue;
    }
    auto known =
        std::find_if(recent.begin(), recent.end(), [&](const Joined& one) { return one.own.is(shelf[k]); });
    if (known == recent.end()) {
      recent.push_back({common, shelf[k], Shared(join(common.values(), shelf[k].values()), precision)});
      known = recent.end() - 1;
    }
    whole.add(known->whole);
  }
  return whole;
}

}  // namespace coterie
