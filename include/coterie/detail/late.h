// What the vectors of data.h are made of: memory that is not set to zero, and values that are computed when
// they are read. For kernels; an algorithm seldom names them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace coterie {

// Makes room without filling it with zeros first.
template <class T>
struct Unfilled : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unfilled<U>;
  };
  void construct(T* place) { ::new (static_cast<void*>(place)) T; }
  template <class... Args>
  void construct(T* place, Args&&... args) {
    ::new (static_cast<void*>(place)) T(std::forward<Args>(args)...);
  }
};
template <class Real>
using Room = std::vector<Real, Unfilled<Real>>;

// A vector that is computed piece by piece when it is read, so that large ones need never be whole.
template <class Real>
struct Late {
  std::size_t size = 0;
  std::size_t step = 1;  // pieces begin at multiples of this
  double bound = 0;      // no absolute value is larger; NaN: not known
  // Writes the values begin .. begin + out.size() - 1: the same bits whatever the pieces.
  std::function<void(std::size_t begin, std::span<Real> out)> write;
};

}  // namespace coterie
