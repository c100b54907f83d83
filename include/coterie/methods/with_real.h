// The run's precision as a type, for templates over the kind of number that clients compute with.
#pragma once

#include <cstddef>

#include "coterie/data.h"

namespace coterie {

// Calls work(float()) or work(double()) and returns what it returns:
//   with_real(view.precision(), [&](auto real) { return losses_as<decltype(real)>(view); });
template <class Work>
decltype(auto) with_real(Precision precision, Work&& work) {
  if (precision == Precision::f32) return work(float());
  return work(double());
}

// Bytes of a number as it is kept and sent.
inline std::size_t real_size(Precision precision) {
  return with_real(precision, [](auto real) { return sizeof(real); });
}

}  // namespace coterie
