// A federation of real images: rotated digits.
#include <gtest/gtest.h>

#include <set>

#include "support/federations.h"

namespace coterie::federation_digits_test {
namespace {

using Image = std::vector<double>;

std::vector<Image> images(const Samples& samples) {
  std::vector<Image> all;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    all.emplace_back(samples.shape.width);
    samples.copy_row(i, std::span<double>(all.back()));
  }
  return all;
}

// One quarter turn clockwise of an 8 x 8 image: what undoes one counter-clockwise.
Image turned_back(const Image& image) {
  Image back(64);
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 8; ++c) back[r * 8 + c] = image[(7 - c) * 8 + r];
  }
  return back;
}

TEST(FederationDigits, ClientsOfEachClusterSeeRealDigitsTurned) {
  FederationSpec spec;
  spec.source = Registry<Source>::instance().make("digits");
  spec.source_name = "digits";
  spec.partition = make_plugin<Partition>("iid");
  spec.clients.count = 48;
  spec.unseen.count = 8;
  add_shift(spec, "rotate");
  const auto federation = build(spec);
  ASSERT_EQ(federation->size(), 48u + 8u + 4u);

  const auto population = spec.source->open({});
  const std::vector<Image> originals = images(population->pool()->train);
  const std::set<Image> known(originals.begin(), originals.end());
  std::size_t dealt = 0;
  for (ClientId i = 0; i < federation->size(); ++i) {
    const ClientInfo info = federation->info(i);
    if (info.role == Role::train) dealt += info.train + info.test;
    for (Image image : images(*federation->samples(i, Part::test, 1))) {
      for (std::uint32_t turn = 0; turn < info.truth; ++turn) image = turned_back(image);
      ASSERT_EQ(known.count(image), 1u) << "client " << i;
    }
  }
  EXPECT_EQ(dealt, 1437u);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(members(*federation, k).size(), 12u);
    EXPECT_EQ(federation->info(56 + k).train + federation->info(56 + k).test, 360u);
  }
}

}  // namespace
}  // namespace coterie::federation_digits_test
