#include <gtest/gtest.h>

#include "data/error_text.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::leaf_test {
namespace {

TEST(Leaf, MakesAPoolOfUsers) {
  TempFolder folder;
  folder.write("d/train/a.json",
               R"({"users": ["u", "v"], "user_data": {"u": {"x": [[0, 255], [3, 4]], "y": [1, 0]},
                                                      "v": {"x": [[5, 6]], "y": [1]}}})");
  folder.write("d/test/a.json", R"({"users": ["u"], "user_data": {"u": {"x": [[7, 8]], "y": [1]}}})");
  const SourceContext context{.data_folder = folder.path().string(), .floats = true};
  EXPECT_TRUE(make_source("leaf", "path = \"d\"")->names_owners());
  auto population = open_source("leaf", "path = \"d\"", context);
  const Pool& pool = *population->pool();
  EXPECT_EQ(population->shape(), (Shape{.task = Task::classification, .width = 2, .classes = 2}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(pool.parts, (std::vector<Part>{Part::train, Part::train, Part::train, Part::test}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{1, 0, 1, 1}));
  ASSERT_TRUE(pool.table);
  EXPECT_TRUE(pool.table->draft);
  EXPECT_EQ(pool.table->features[1].column, "x[1]");

  auto images = open_source("leaf", "path = \"d\"\nshape = [1, 2]", context);
  EXPECT_TRUE(images->shape().is_image());
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(images->pool()->train.features)[1], 255);
}

TEST(Leaf, NeedsAPath) { EXPECT_NE(refusal("leaf", "").find("path: is needed"), std::string::npos); }

}  // namespace
}  // namespace coterie::leaf_test
