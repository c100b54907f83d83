// IFCA at a client: choose the model with the lowest objective F_i (methods/choose.h), work on it, and say
// which it was.
#pragma once

#include <vector>

#include "coterie/fleet.h"
#include "coterie/methods/bounds.h"
#include "coterie/methods/sharing.h"

namespace coterie {

struct IfcaNote {
  Items items;
  std::uint32_t guess = 0;  // the model it chose last
  bool gradient = false;    // option I
  Sharing sharing;
  // Re-sampling: which of how many portions of its data to choose by; the next one is to work on.
  std::uint32_t portion = 0;
  std::uint32_t portions = 0;  // 0: all data for both
  bool evaluate_all = false;
  bool evidence = false;        // say what bounds can be made of
  std::uint32_t choose_by = 0;  // so many rows, drawn anew; 0: all
  bool one_momentum = false;    // whatever model it chooses
  bool frozen = false;          // the shared part is not trained
  void fields(Archive& a) {
    a(items);
    a.overhead([&] {
      a(guess, gradient, sharing, portion, portions, evaluate_all, evidence, choose_by, one_momentum, frozen);
    });
  }
};

struct IfcaReply {
  std::uint32_t choice = 0;  // j-hat
  double loss = 0;           // of the chosen model, before the update
  Numbers update;  // the gradient at the chosen model, or the model trained from it, less the shared part
  Numbers common;  // the same for the shared part
  std::vector<Evidence> seen;
  void fields(Archive& a) {
    a.vote(choice);
    a(loss, update, common, seen);
  }
};

extern const Job<IfcaNote, IfcaReply> kChooseAndWork;

}  // namespace coterie
