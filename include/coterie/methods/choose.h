// Which of several models is a client's best: the lowest objective
//   F(w) = mean loss over its training rows + the model's L2 term,
// the same that its steps descend; the first of equals; a model whose objective is not finite never wins.
//
// Exact, but lazy. Totals begin at rows times the L2 term, and row losses are added in order. The model that
// a client is likely to choose is evaluated first; another is given up as soon as its total exceeds the
// lowest so far. Row losses are never negative and adding one never lowers a floating-point sum, so the
// answer is that of evaluating all models on all rows, to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/client.h"

namespace coterie {

struct Choice {
  std::uint32_t model = 0;
  double loss = 0;  // mean over the training rows, without the L2 term
  void fields(Archive& a) { a(model, loss); }
};

// No model is likelier than the others.
inline constexpr std::uint32_t kNoGuess = 0xffffffff;

// For each client of a block, among the models on its own shelf (at least one; the same model is the same
// item on every shelf), trying `guesses[i]` first, or what a few rows say; any guess gives the same answer.
// Where the guess was right, the sums of the model's first layer stay with the view. A client without rows
// chooses the first model, and its loss is 0.
std::vector<Choice> choose(std::span<ClientView> clients, std::span<const Shelf> shelves,
                           std::span<const std::uint32_t> guesses);

// F(w) of one client, for those who compare few models; 0 rows: the L2 term alone.
double objective_at(ClientView& client, const Shared& w);

}  // namespace coterie
