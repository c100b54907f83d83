#include "report/data_picture.h"

#include <gtest/gtest.h>

#include "report/markup.h"

namespace coterie::data_picture_test {
namespace {

DataView small_view() {
  DataView view;
  view.name = "wards";
  view.source = "csv";
  view.target = "ill";
  view.width = 3;
  view.columns = {"no", "yes"};
  view.truth_names = {"north", "south"};
  view.clients = {{0, "<b>", Role::train, {8, 1, 3, 0, Role::train}, {}, {8, 0}},
                  {1, "", Role::train, {4, 0, 2, 1, Role::train}, {"noise"}, {1, 3}}};
  view.notes = {"a ward was left out"};
  return view;
}

TEST(DataPicture, TextHasClientsRowsClassesAndNotes) {
  const std::string text = data_text(small_view());
  EXPECT_TRUE(
      has(text, "wards: classification on csv: 2 clients, 3 features, 18 rows: least 6, median 9, most 12"))
      << text;
  EXPECT_TRUE(has(text, "no      9     75.0")) << text;
  EXPECT_TRUE(has(text, "<b>           8         4  north                 █·")) << text;
  EXPECT_TRUE(has(text, "client 1      4         2  south         noise   ▂▆")) << text;
  EXPECT_TRUE(has(text, "note: a ward was left out"));
}

TEST(DataPicture, PageShowsEveryClientByName) {
  const std::string html = data_page(small_view());
  EXPECT_TRUE(is_balanced(html));
  EXPECT_TRUE(has(html, "</i>&lt;b&gt;</th>")) << html;
  EXPECT_TRUE(has(html, "title=\"client 1: 3 of 4 training rows are yes (75.0 %)\""));
  EXPECT_TRUE(has(html, "a ward was left out."));
  EXPECT_FALSE(has(html, "<b>"));
}

TEST(DataPicture, ManyClientsAndClassesStayReadable) {
  DataView view = small_view();
  view.columns.assign(30, "c");
  view.clients.clear();
  for (std::uint32_t i = 0; i < 5000; ++i)
    view.clients.push_back({i, "", Role::train, {30, 0, 0, 0, Role::train}, {}, std::vector<double>(30, 1)});
  const std::string text = data_text(view);
  EXPECT_TRUE(has(text, "and 4960 more"));
  EXPECT_TRUE(has(text, "10 others"));
  const std::string html = data_page(view);
  EXPECT_TRUE(has(html, "The first 1000 of 5000 clients."));
  EXPECT_LT(html.size(), 4000000u);
}

}  // namespace
}  // namespace coterie::data_picture_test
