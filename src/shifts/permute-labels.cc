// Renames classes: groups of clients see the same inputs under other labels, so no single model can serve
// them all ("private label" of Federated-Clustering, concept shift of FedRC and HCFL).
//
// Rules, with C classes:
//   add           y -> (y + offset) mod C, one variant for each offset
//   swap          variant 0 leaves labels alone, each further one exchanges a pair
//   rotate-first  with C_b = floor(C beta): labels below C_b become (y + v) mod C_b in variant v, others stay
//   opposite      variant 0 leaves labels alone, variant 1 is y -> C - 1 - y
//   permutations  written out: the list's entry y is the new label of class y
//
// Variants that map every class alike are one true cluster. HCFL's concepts for CIFAR-10 with beta = 0.2 are
// such a case: C_b = 2, so its concept 3 equals concept 1 and two clusters exist, not three.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/shift.h"

namespace coterie {
namespace {

using Renaming = std::vector<std::uint32_t>;  // the new label of each class

bool is_class(double label, std::size_t classes) {
  return label >= 0 && label < static_cast<double>(classes) && std::floor(label) == label;
}

class PermuteLabels : public Shift {
 public:
  void options(Options& o) override {
    o.choice("rule", rule_, {"add", "swap", "rotate-first", "opposite", "permutations"},
             "how labels are renamed; the other options each belong to one rule");
    o("offsets", &offsets_,
      "rule add: what is added to labels modulo the classes, one group of clients for each");
    o("pairs", &pairs_,
      "rule swap: pairs [a, b] of classes to exchange, one group for each besides the unchanged one");
    o("beta", &beta_, "rule rotate-first: the share of classes whose labels go round", share());
    o("concepts", &concepts_, "rule rotate-first: groups of clients, each one step further round",
      at_least(1));
    o("permutations", &permutations_,
      "rule permutations: for each group the new labels of classes 0, 1, ...");
    o.require(rule_ != "add" || !offsets_.empty(), "offsets", "rule \"add\" needs at least one offset");
    o.require(rule_ != "swap" || !pairs_.empty(), "pairs", "rule \"swap\" needs at least one pair [a, b]");
    o.require(std::all_of(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair.size() == 2; }),
              "pairs", "every entry must be a pair [a, b]");
    o.require(rule_ != "permutations" || !permutations_.empty(), "permutations",
              "rule \"permutations\" needs at least one list of new labels");
  }

  void check_shape(const Shape& shape) const override {
    if (shape.task != Task::classification) {
      throw Error("shift \"permute-labels\" needs classes, but the task is regression; leave the shift out");
    }
    if (rule_ == "swap") check_pairs(shape.classes);
    if (rule_ == "permutations") check_permutations(shape.classes);
    if (rule_ == "rotate-first" && rotating(shape.classes) < 2) {
      throw Error(fmt::format(
          "shift \"permute-labels\": beta = {:g} of {} classes rotates {} label(s), which changes "
          "nothing; beta must be at least {:g}",
          beta_, shape.classes, rotating(shape.classes), 2.0 / static_cast<double>(shape.classes)));
    }
  }

  std::size_t variants() const override {
    if (rule_ == "add") return offsets_.size();
    if (rule_ == "swap") return pairs_.size() + 1;
    if (rule_ == "rotate-first") return static_cast<std::size_t>(concepts_);
    if (rule_ == "opposite") return 2;
    return permutations_.size();
  }

  std::string variant_name(std::size_t variant) const override {
    if (rule_ == "add") return fmt::format("labels {:+}", offsets_[variant]);
    if (rule_ == "rotate-first") return fmt::format("first labels +{}", variant);
    if (rule_ == "permutations") return fmt::format("labels {:g}", fmt::join(permutations_[variant], " "));
    if (variant == 0) return "labels unchanged";
    if (rule_ == "swap")
      return fmt::format("labels {:g} and {:g} swapped", pairs_[variant - 1][0], pairs_[variant - 1][1]);
    return "labels opposite";
  }

  std::size_t canonical(std::size_t variant, const Shape& shape) const override {
    const Renaming renaming = rename(variant, shape.classes);
    std::size_t first = 0;
    while (rename(first, shape.classes) != renaming) ++first;
    return first;
  }

  void apply(std::size_t variant, Samples& samples, Stream&) const override {
    const Renaming renaming = rename(variant, samples.shape.classes);
    for (double& target : samples.targets) target = renaming[static_cast<std::size_t>(target)];
  }

 private:
  // C_b; the tiny addend keeps 100 x 0.29 at 29.
  std::size_t rotating(std::size_t classes) const {
    return static_cast<std::size_t>(std::floor(static_cast<double>(classes) * beta_ + 1e-9));
  }

  Renaming rename(std::size_t variant, std::size_t classes) const {
    Renaming renaming(classes);
    std::iota(renaming.begin(), renaming.end(), 0u);
    if (rule_ == "add") {
      turn(renaming, offsets_[variant], classes);
    } else if (rule_ == "rotate-first") {
      turn(renaming, static_cast<std::int64_t>(variant), rotating(classes));
    } else if (rule_ == "swap" && variant > 0) {
      const std::vector<double>& pair = pairs_[variant - 1];
      std::swap(renaming[static_cast<std::size_t>(pair[0])], renaming[static_cast<std::size_t>(pair[1])]);
    } else if (rule_ == "opposite" && variant > 0) {
      std::reverse(renaming.begin(), renaming.end());
    } else if (rule_ == "permutations") {
      for (std::size_t y = 0; y < classes; ++y)
        renaming[y] = static_cast<std::uint32_t>(permutations_[variant][y]);
    }
    return renaming;
  }

  static void turn(Renaming& renaming, std::int64_t offset, std::size_t count) {
    const auto modulus = static_cast<std::int64_t>(count);
    const std::int64_t steps = (offset % modulus + modulus) % modulus;
    for (std::size_t y = 0; y < count; ++y) {
      renaming[y] = static_cast<std::uint32_t>((static_cast<std::int64_t>(y) + steps) % modulus);
    }
  }

  void check_pairs(std::size_t classes) const {
    for (const std::vector<double>& pair : pairs_) {
      for (double label : pair) {
        if (!is_class(label, classes)) {
          throw Error(fmt::format("shift \"permute-labels\": pairs names class {:g}; classes go from 0 to {}",
                                  label, classes - 1));
        }
      }
    }
  }

  void check_permutations(std::size_t classes) const {
    for (const std::vector<double>& labels : permutations_) {
      std::vector<bool> seen(classes, false);
      bool good = labels.size() == classes;
      for (std::size_t y = 0; good && y < classes; ++y) {
        good = is_class(labels[y], classes) && !seen[static_cast<std::size_t>(labels[y])];
        if (good) seen[static_cast<std::size_t>(labels[y])] = true;
      }
      if (!good) {
        throw Error(fmt::format(
            "shift \"permute-labels\": permutations holds [{:g}], which does not name each of the "
            "{} classes 0 to {} once",
            fmt::join(labels, ", "), classes, classes - 1));
      }
    }
  }

  std::string rule_ = "add";
  std::vector<std::int64_t> offsets_ = {0, 1, 2, 3};
  std::vector<std::vector<double>> pairs_;
  double beta_ = 0.2;
  std::int64_t concepts_ = 3;
  std::vector<std::vector<double>> permutations_;
};

const Registration<Shift> kPermuteLabels{"permute-labels",
                                         "rename classes, each group of clients in its own way",
                                         [] { return std::make_unique<PermuteLabels>(); }};

}  // namespace
}  // namespace coterie
