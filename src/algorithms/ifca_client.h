// IFCA at a client: choose the model with the lowest loss, work on it, and say which it was.
#pragma once

#include <vector>

#include "coterie/bounds.h"
#include "coterie/choose.h"
#include "coterie/job.h"
#include "coterie/sharing.h"

namespace coterie {

struct IfcaNote {
  Items items;
  std::uint32_t guess = 0;  // the model it chose last
  bool gradient = false;    // option I
  Sharing sharing;
  std::uint32_t share =
      0;  // re-sampling: which of how many parts of its data to choose by; the next one is to work on
  std::uint32_t parts = 0;  // 0: all data for both
  bool evaluate_all = false;
  bool evidence = false;  // say what bounds can be made of
  bool from_nothing() const { return gradient; }
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(guess, gradient, sharing, share, parts, evaluate_all, evidence); });
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

inline IfcaReply update(const Shared& model, const Choice& choice, const IfcaNote& note, ClientView& view) {
  IfcaReply reply{choice.model, choice.loss, {}, {}, {}};
  // Each model has its own surviving momentum: a client that changes its mind starts that of the other
  // afresh.
  Numbers whole =
      note.gradient ? view.gradient(model)
                    : view.train(model, {.prox = 0, .centre = nullptr, .weights = {}, .slot = choice.model});
  if (!note.sharing.any()) {
    reply.update = std::move(whole);
  } else {
    auto [common, own] = note.sharing.split(whole);
    reply.common = common;
    reply.update = own;
  }
  return reply;
}

inline std::vector<IfcaReply> work_block(std::span<const Shelf> shelves, std::span<const IfcaNote> notes,
                                         std::span<ClientView> views) {
  // With one sum a row a block is of no use: each client's update then finds its rows still in cache.
  if (views.size() > 1 && views[0].model().first_layer().outputs == 1) {
    std::vector<IfcaReply> replies;
    for (std::size_t i = 0; i < views.size(); ++i) {
      replies.push_back(
          std::move(work_block(shelves.subspan(i, 1), notes.subspan(i, 1), views.subspan(i, 1))[0]));
    }
    return replies;
  }
  std::vector<Shelf> models;
  std::vector<std::uint32_t> guesses;
  for (std::size_t i = 0; i < views.size(); ++i) {
    models.push_back(notes[i].sharing.join(shelves[i], views[i].precision()));
    guesses.push_back(notes[i].guess);
    if (notes[i].parts > 0) views[i].use_share(notes[i].share, notes[i].parts);
  }
  std::vector<Choice> choices;
  std::vector<std::vector<Evidence>> seen(views.size());
  if (notes[0].evaluate_all) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      Weighed weighed = weigh(views[i], models[i]);
      choices.push_back(weighed.choice);
      if (notes[i].evidence) seen[i] = std::move(weighed.seen);
    }
  } else {
    choices = choose(views, models, guesses);
  }
  std::vector<IfcaReply> replies;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (notes[i].parts > 0) views[i].use_share(notes[i].share + 1, notes[i].parts);
    replies.push_back(update(models[i][choices[i].model], choices[i], notes[i], views[i]));
    replies.back().seen = std::move(seen[i]);
  }
  return replies;
}

inline const Job<IfcaNote, IfcaReply> kChooseAndWork(
    "ifca",
    [](const Shelf& shelf, const IfcaNote& note, ClientView& view) {
      return std::move(work_block({&shelf, 1}, {&note, 1}, {&view, 1})[0]);
    },
    [](const std::vector<Shelf>& shelves, const std::vector<IfcaNote>& notes,
       std::vector<ClientView>& views) { return work_block(shelves, notes, views); });

}  // namespace coterie
