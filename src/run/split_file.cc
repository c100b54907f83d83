#include "run/split_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace coterie {
namespace {

const char* part_name(Part part) {
  return part == Part::train ? "train" : part == Part::validation ? "validation" : "test";
}

}  // namespace

void write_split(const RunFolder& folder, const Federation& federation) {
  std::vector<Federation::RowPlace> places = federation.places();
  if (places.empty()) return;
  std::stable_sort(
      places.begin(), places.end(),
      [](const Federation::RowPlace& a, const Federation::RowPlace& b) { return a.row < b.row; });
  std::string text = "row,client,name,part\n";
  for (const Federation::RowPlace& place : places) {
    const bool unseen = federation.info(place.client).role == Role::unseen;
    text += fmt::format("{},{},{},{}\n", place.row, place.client, csv_field(federation.name(place.client)),
                        unseen ? "unseen" : part_name(place.part));
  }
  folder.write("split.csv", text);
}

}  // namespace coterie
