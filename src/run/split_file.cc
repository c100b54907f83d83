#include "run/split_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace coterie {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

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
  write_atomically(folder.file("split.csv"), text);
}

}  // namespace coterie
