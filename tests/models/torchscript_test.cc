// What a module of the user's own must not do: write into models and samples that others read, or end a run.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/add_ons.h"
#include "models/bound_model.h"

namespace coterie::torchscript_test {
namespace {

// Each has the parameters `weight` (3 x 4) and `bias` (3), and forward returns linear(x, weight, bias), but:
//   changes_input: y = x.view(-1, 4); y.sub_(0.5).div_(0.25), before
//   changes_parameter: self.bias.add_(1.0), before
//   counts: self.seen.add_(1.0), before, and that times self.seen, a buffer that begins at 0
//   needs_two: reads x.select(0, 1), a second row
std::unique_ptr<Model> scripted(const std::string& name) {
  const auto file = std::filesystem::path(__FILE__).parent_path() / "torchscript" / (name + ".pt");
  return bound_model("torchscript", "start = 'file'\nfile = '" + file.string() + "'", classification(4, 3));
}

std::string refusal(const std::string& name) {
  try {
    scripted(name);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class TorchScript : public testing::Test {
 protected:
  void SetUp() override {
    load_built_add_ons();
    const std::vector<std::string> built = Registry<Model>::instance().names();
    if (std::find(built.begin(), built.end(), "torchscript") == built.end())
      GTEST_SKIP() << "the add-on torch is not built";
  }
};

TEST_F(TorchScript, MustNotWriteIntoItsInputOrParameters) {
  EXPECT_NE(refusal("changes_input").find("forward changes its input in place"), std::string::npos);
  EXPECT_NE(refusal("changes_parameter").find("forward changes the parameter \"bias\" in place"),
            std::string::npos);
}

// 70 rows are judged in three blocks.
TEST_F(TorchScript, ForgetsWhatItWritesIntoABufferOutsideOfTraining) {
  const auto model = scripted("counts");
  const Rows<double> rows(classification(4, 3), 70);
  std::vector<double> w = start_of<double>(*model);
  const std::vector<double> before = w;
  ASSERT_EQ(w.size(), 16u);
  ASSERT_EQ(w[15], 0) << "the buffer";
  std::vector<double> losses(70), again(1), gradient(w.size());
  model->losses(std::span<const double>(w), rows.batch(), losses);
  model->gradient(std::span<const double>(w), rows.batch(), std::span(gradient));
  EXPECT_EQ(w, before);
  model->losses(std::span<const double>(w), rows.only(69).batch(), again);
  EXPECT_EQ(again[0], losses[69]) << "whichever rows were judged before";
}

TEST_F(TorchScript, ABatchThatItCannotTakeIsAnError) {
  const auto model = scripted("needs_two");
  const std::vector<double> w = start_of<double>(*model);
  std::vector<double> gradient(w.size());
  const Rows<double> rows(classification(4, 3), 2);
  EXPECT_NO_THROW(model->gradient(std::span<const double>(w), rows.batch(), std::span(gradient)));
  try {
    model->gradient(std::span<const double>(w), rows.only(1).batch(), std::span(gradient));
    ADD_FAILURE() << "one row is too few";
  } catch (const Error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("needs_two.pt\" cannot take a batch of [1, 4]: "), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace coterie::torchscript_test
