#include "algorithms/personal/client.h"

#include "coterie/attack.h"
#include "math/kernels.h"

namespace coterie {

Shared personal_model(const Shelf& shelf, ClientView& view) {
  auto& state = view.state<PersonalState>();
  if (!state.model.empty()) return view.to_shared(state.model);
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) return shelf[k];
  }
  throw Error("it has no model, and was sent none to start from");
}

const Job<StepNote, StepReply> kTakeStep("take-step", [](const Shelf& shelf, const StepNote& note,
                                                         ClientView& view) {
  auto& state = view.state<PersonalState>();
  Vec model = personal_model(shelf, view).values();
  const Vec& v = shelf[note.step].values();
  if (v.size() != model.size()) throw Error("it was sent a step of another size");
  const double rate = view.solver().gradient_rate(view.round());
  if (note.momentum > 0) {
    state.momentum.resize(model.size(), 0.0);
    scale(note.momentum, std::span(state.momentum));
    add_scaled(1.0, v, std::span(state.momentum));
  }
  add_scaled(-rate, note.momentum > 0 ? state.momentum : v, std::span(model));
  if (!all_finite(model)) throw Error("its model would no longer be finite; lower local.rate");
  state.model = std::move(model);
  return StepReply{};
});

const Job<GradientNote, GradientReply> kOwnGradient("own-gradient", [](const Shelf& shelf,
                                                                       const GradientNote& note,
                                                                       ClientView& view) {
  view.use_batch(note.batch);
  Numbers gradient = view.gradient(personal_model(shelf, view));
  if (note.alpha == 1) return GradientReply{std::move(gradient)};
  auto& state = view.state<PersonalState>();
  state.momentum.resize(gradient.size(), 0.0);
  scale(1 - note.alpha, std::span(state.momentum));
  add_scaled(note.alpha, Vec(gradient), std::span(state.momentum));
  return GradientReply{state.momentum};
});

namespace {

const AttackTraitEntry kOwnGradientTrait{"own-gradient", {.from_nothing = [](Message&) { return true; }}};

}  // namespace

}  // namespace coterie
