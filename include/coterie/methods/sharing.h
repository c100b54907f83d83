// Layers that several models have in common: what is the same for all is kept, sent and averaged once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coterie/client.h"

namespace coterie {

class Sharing {
 public:
  // Nothing is shared.
  Sharing() = default;
  // The layers whose names begin with one of these. Throws Error, with `option` as the place, when a name
  // fits no layer or nothing is left that models could differ in.
  Sharing(const Model& model, const std::vector<std::string>& names, const std::string& option);

  bool any() const { return !ranges_.empty(); }
  // The shared part of a model, and the rest; and back.
  std::pair<Vec, Vec> split(const Vec& whole) const;
  Vec join(const Vec& common, const Vec& own) const;
  // The whole models on a shelf whose last item is the shared part; the shelf itself when nothing is shared.
  // Put together once for all clients of a thread.
  Shelf join(const Shelf& shelf, Precision precision) const;

  void fields(Archive& a) { a(ranges_, size_); }

 private:
  template <class Piece>
  void pieces(const Piece& piece) const;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // first parameter and count, ascending
  std::uint32_t size_ = 0;                                       // of a whole model
};

}  // namespace coterie
