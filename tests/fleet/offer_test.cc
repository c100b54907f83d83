// Offers whose models share layers: what travels, and what clients make of it.
#include <gtest/gtest.h>

#include "coterie/algorithm.h"
#include "support/plugins.h"

namespace coterie::offer_test {
namespace {

// Two inputs, two hidden numbers and two classes: 6 numbers in each layer.
Offer two_models_and_a_figure() {
  auto model = make_plugin<Model>("mlp", "hidden = [2]");
  model->bind({Task::classification, 2, 2, 0, 0, 0}, 1);
  Offer offer;
  for (int k = 0; k < 2; ++k) {
    Vec whole = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (int j = 0; j < 6; ++j) whole.push_back(k + 0.1 * j);
    offer.models.push_back(whole);
  }
  offer.extras = {{7, 8}};
  offer.sharing = Sharing(*model, {"layer1"}, "test");
  return offer;
}

TEST(Offer, SharedLayersTravelOnceAndModelsAreWholeAgainToTheBit) {
  const Offer offer = two_models_and_a_figure();
  const std::vector<Vec> items = offer.items();
  ASSERT_EQ(items.size(), 4u);
  const std::vector<std::size_t> sizes = {6, 6, 6, 2};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(items[k].size(), sizes[k]) << k;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Shelf whole({offer.models[0], offer.models[1], offer.extras[0]}, precision);
    const Shelf got = offer.packing().unpack(Shelf(items, precision), precision);
    ASSERT_EQ(got.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(got[k].values(), whole[k].values()) << k;
  }
}

TEST(Offer, WhoNeedsOneModelIsSentItsPartAndTheSharedOne) {
  const Offer offer = two_models_and_a_figure();
  const Items sent = offer.travelling(Items::only({1}));
  const std::vector<bool> want = {false, true, true, false};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(sent.has(k), want[k]) << k;
  const Shelf got = offer.packing().unpack(Shelf(offer.items(), Precision::f64).only(sent), Precision::f64);
  EXPECT_FALSE(got.has(0));
  EXPECT_EQ(got[1].values(), offer.models[1]);
  EXPECT_FALSE(got.has(2));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(offer.travelling(Items::all()).has(k)) << k;
  const Items both = offer.travelling(Items::only({0, 2}));
  EXPECT_TRUE(both.has(0) && !both.has(1) && both.has(2) && both.has(3)) << "the figure is the last";
}

TEST(Offer, WithoutSharedLayersItemsAreTheModels) {
  const Offer offer{{{1, 2}, {3, 4}}, {{5}}};
  EXPECT_EQ(offer.items(), (std::vector<Vec>{{1, 2}, {3, 4}, {5}}));
  EXPECT_FALSE(offer.travelling(Items::only({1})).has(0));
}

}  // namespace
}  // namespace coterie::offer_test
