// What a finished run asks its clients once more, so that its models can be used: how well each cluster fits
// what a client held out, and the model that it has of its own.
#pragma once

#include <memory>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// How badly each of the offered clusters fits the rows of a part (Algorithm::costs).
struct CostsNote {
  Items items;
  Part part = Part::test;
  Packing packing;
  bool models_only = false;  // clusters are models that the method itself does not offer
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(part, packing, models_only); });
  }
};
struct CostsReply {
  struct Cost {
    double value = 0;
    bool finite = true;  // a model may have diverged; the value is 0 then
    void fields(Archive& a) { a(value, finite); }
  };
  double samples = 0;
  std::vector<Cost> costs;  // by cluster
  void fields(Archive& a) { a.about_sender(samples, costs); }
};
const Job<CostsNote, CostsReply>& costs_job();

// The model by which a client predicts (Algorithm::model_of); empty where it has none of its own.
struct OwnModelNote {
  Items items;
  Packing packing;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(packing); });
  }
};
struct OwnModelReply {
  Numbers model;
  void fields(Archive& a) { a(model); }
};
const Job<OwnModelNote, OwnModelReply>& own_model_job();

// The jobs themselves, for client programs; `method` must outlive them.
std::vector<std::unique_ptr<const AnyJob>> make_use_jobs(const Algorithm& method);

}  // namespace coterie
