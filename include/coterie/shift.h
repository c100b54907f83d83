// A shift makes groups of clients differ: each client gets one of its variants (an angle, a labelling ...).
#pragma once

#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "coterie/random.h"
#include "coterie/registry.h"

namespace coterie {

class Shift {
 public:
  virtual ~Shift() = default;
  virtual void options(Options& o) = 0;
  // Throws Error when the shift cannot apply to such samples (rotation of samples that are not images).
  virtual void check_shape(const Shape& shape) const = 0;
  virtual std::size_t variants() const = 0;
  virtual std::string variant_name(std::size_t variant) const = 0;
  // The first variant that does the same as this one: variants that coincide are one true cluster.
  virtual std::size_t canonical(std::size_t variant, const Shape&) const { return variant; }
  // Whether the variants are true clusters unless the config says otherwise; noise is not.
  virtual bool is_truth_by_default() const { return true; }
  // Whether data that judges models (test parts, shared test sets) is shifted as well; label noise leaves it
  // clean.
  virtual bool applies_to_test() const { return true; }
  virtual void apply(std::size_t variant, Samples& samples, Stream& stream) const = 0;
};

}  // namespace coterie
