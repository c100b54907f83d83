// The client half of methods whose clients keep a model of their own and take steps that the server chooses
// for them: a client's state and its jobs.
#pragma once

#include "coterie/fleet.h"

namespace coterie {

struct PersonalState {
  Vec model;     // x_i; empty before the first step
  Vec momentum;  // m_i, where the method has one
  void fields(Archive& a) { a(model, momentum); }
};

// The client's own model, or the start that it was sent.
Shared personal_model(const Shelf& shelf, ClientView& view);

// Take a step along a vector of the shelf, by the solver's rate:
//   m = momentum m + v,  x = x - rate m
struct StepNote {
  Items items;             // the vector, and the start for a client without a model
  std::uint32_t step = 0;  // which item is the vector
  double momentum = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(step, momentum); });
  }
};
struct StepReply {
  void fields(Archive&) {}
};
extern const Job<StepNote, StepReply> kTakeStep;

// The gradient at its own model, or the running mean of such gradients,
//   m = alpha g + (1 - alpha) m.
struct GradientNote {
  Items items;  // the start, for a client without a model
  double alpha = 1;
  std::uint32_t batch = 0;  // B_i: samples drawn for the gradient; 0: all
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(alpha, batch); });
  }
};
struct GradientReply {
  Numbers vector;
  void fields(Archive& a) { a(vector); }
};
extern const Job<GradientNote, GradientReply> kOwnGradient;

}  // namespace coterie
