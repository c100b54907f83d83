// What every shift keeps to, whoever wrote it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/option_readers.h"
#include "coterie/shift.h"
#include "support/fake_sources.h"
#include "support/plugins.h"

namespace coterie::contract_test {
namespace {

// Pixels from 0 to 1, as shifts of images need them.
Samples grey_images(std::size_t rows, std::size_t classes) {
  Samples samples = numbered_images(rows, classes);
  for (float& pixel : std::get<std::vector<float>>(samples.features)) pixel /= static_cast<float>(rows);
  return samples;
}

class ShiftContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Shift> shift_ = Registry<Shift>::instance().make(GetParam());
  Samples samples_ = grey_images(40, 10);
};

Samples shifted(const Shift& shift, std::size_t variant, Samples samples) {
  Stream stream(7, {.purpose = Purpose::shift});
  shift.apply(variant, samples, stream);
  return samples;
}

TEST_P(ShiftContract, HasNamedVariants) {
  ASSERT_GE(shift_->variants(), 1u);
  for (std::size_t v = 0; v < shift_->variants(); ++v) EXPECT_NE(shift_->variant_name(v), "");
}

TEST_P(ShiftContract, DocumentsItsOptions) {
  OptionLister lister;
  shift_->options(lister);
  for (const OptionDoc& doc : lister.docs) EXPECT_NE(doc.sentence, "") << doc.name;
}

TEST_P(ShiftContract, KeepsRowsAndShape) {
  shift_->check_shape(samples_.shape);
  for (std::size_t v = 0; v < shift_->variants(); ++v) {
    const Samples result = shifted(*shift_, v, samples_);
    ASSERT_EQ(result.size(), samples_.size());
    EXPECT_EQ(result.shape, samples_.shape);
    for (std::size_t i = 0; i < result.size(); ++i) EXPECT_LT(result.targets[i], 10);
  }
}

TEST_P(ShiftContract, SameStreamSameResult) {
  for (std::size_t v = 0; v < shift_->variants(); ++v) {
    const Samples once = shifted(*shift_, v, samples_), again = shifted(*shift_, v, samples_);
    EXPECT_EQ(once.features, again.features);
    EXPECT_EQ(once.targets, again.targets);
  }
}

TEST_P(ShiftContract, CanonicalVariantsComeFirstAndDoTheSame) {
  for (std::size_t v = 0; v < shift_->variants(); ++v) {
    const std::size_t first = shift_->canonical(v, samples_.shape);
    ASSERT_LE(first, v);
    EXPECT_EQ(shift_->canonical(first, samples_.shape), first);
    const Samples own = shifted(*shift_, v, samples_), canonical = shifted(*shift_, first, samples_);
    EXPECT_EQ(own.features, canonical.features);
    EXPECT_EQ(own.targets, canonical.targets);
  }
}

TEST_P(ShiftContract, BearsEmptySamples) {
  for (std::size_t v = 0; v < shift_->variants(); ++v) {
    EXPECT_EQ(shifted(*shift_, v, samples_.empty_like()).size(), 0u);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, ShiftContract, testing::ValuesIn(Registry<Shift>::instance().names()),
                         test_name);

}  // namespace
}  // namespace coterie::contract_test
