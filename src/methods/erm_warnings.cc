// What is said about empirical risk minimisation before it starts, and where it fails.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "coterie/methods/erm.h"

namespace coterie {

bool is_convex(const Model& model) {
  return model.depth() == 1 && model.loss_kind() != LossKind::other && model.trainable() == model.size();
}

std::string advice_on_bounds(const ErmOptions& options) {
  return fmt::format("set model.l2 = 0.001 (a weak penalty) or {} = 10", options.key("radius"));
}

std::vector<std::string> joint_erm_warnings(const Setting& setting, const ErmOptions& options) {
  if (is_convex(setting.model)) return {};
  return {fmt::format(
      "the model is not convex: its exact minimum is where {} ends from a random start, after at most {} "
      "steps ({}), and others may be better",
      options.radius ? "a descent by projected gradients" : "L-BFGS", options.iterations,
      options.key("iterations"))};
}

std::vector<std::string> local_erm_warnings(const Fleet& fleet, const Setting& setting,
                                            const ErmOptions& options) {
  if (options.solver != "exact") return {};
  const Model& model = setting.model;
  if (!is_convex(model)) {
    std::string text = joint_erm_warnings(setting, options).front();
    text += fmt::format(
        "; clients' own models may lie far apart and yet do the same, so groups of them mean less. {} = "
        "\"local\" trains as [local] says instead",
        options.key("solver"));
    return {text};
  }
  if (model.l2() > 0 || options.radius) return {};
  const std::vector<ClientId> all = fleet.everyone();
  const auto few =
      std::count_if(all.begin(), all.end(), [&](ClientId i) { return fleet.samples(i) < model.size(); });
  if (few == 0) return {};
  const bool squares = model.loss_kind() == LossKind::squared;
  return {fmt::format(
      "{} of {} fewer training rows than the model has parameters ({}): {}; {}", few,
      counted(all.size(), "client has", "clients have"), model.size(),
      squares ? "many models fit such rows without error, and the shortest of them (least norm) is taken"
              : "a client whose classes can be told apart without error has no best model and is left out",
      advice_on_bounds(options))};
}

}  // namespace coterie
