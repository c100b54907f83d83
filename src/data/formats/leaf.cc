#include "data/formats/leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "coterie/error.h"
#include "data/files.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;
using LeafJson = nlohmann::json;

const LeafJson& member(const LeafJson& from, const char* name, const std::string& where) {
  const auto found = from.is_object() ? from.find(name) : from.end();
  if (!from.is_object() || found == from.end()) throw Error(fmt::format("{}: has no \"{}\"", where, name));
  return *found;
}

// Numbers in lists within lists, as images may come.
void append_numbers(const LeafJson& from, int depth, const std::string& where, Vec& out) {
  if (from.is_number() || from.is_boolean()) {
    out.push_back(from.is_boolean() ? from.get<bool>() : from.get<double>());
  } else if (from.is_null()) {
    out.push_back(std::numeric_limits<double>::quiet_NaN());
  } else if (from.is_array() && depth < 4) {
    for (const LeafJson& one : from) append_numbers(one, depth + 1, where, out);
  } else {
    throw Error(where + ": features must be numbers; text and names of image files are not read");
  }
}

std::string label_text(const LeafJson& from, const std::string& where) {
  if (from.is_string()) return from.get<std::string>();
  if (from.is_number_integer() || from.is_number_unsigned()) return from.dump();
  if (from.is_number_float()) return fmt::format("{}", from.get<double>());
  if (from.is_boolean()) return from.get<bool>() ? "1" : "0";
  if (from.is_null()) return "";
  throw Error(where + ": a target must be a number or a text");
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code why;
  fs::directory_iterator entries(folder, why);
  if (why) throw Error(folder.string() + ": cannot be read: " + why.message());
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") || name.ends_with(".json.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void append_file(const fs::path& file, const std::string& part, ArrayRows& rows) {
  parse_leaf(DataFile(file).read_rest(), file.string(), part, rows);
}

}  // namespace

void parse_leaf(const std::string& text, const std::string& file, const std::string& part, ArrayRows& rows) {
  const LeafJson json = LeafJson::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(file + ": is not JSON, or is cut short");
  const LeafJson &users = member(json, "users", file), &data = member(json, "user_data", file);
  if (!users.is_array()) throw Error(file + ": \"users\" must be a list of names");
  const auto counts = json.find("num_samples");
  for (std::size_t u = 0; u < users.size(); ++u) {
    const std::string name = label_text(users[u], file);
    const std::string where = file + ": user " + in_quotes(name);
    if (name.empty()) throw Error(file + ": a user has no name");
    if (!data.is_object() || !data.contains(name)) throw Error(where + ": has no data in \"user_data\"");
    const LeafJson& own = data.at(name);
    const LeafJson &x = member(own, "x", where), &y = member(own, "y", where);
    if (!x.is_array() || !y.is_array() || x.size() != y.size())
      throw Error(where + ": \"x\" and \"y\" must be lists of the same length");
    if (counts != json.end() && counts->is_array() && u < counts->size() &&
        (*counts)[u].is_number_unsigned() && (*counts)[u].get<std::size_t>() != x.size()) {
      throw Error(fmt::format("{}: has {} samples, but \"num_samples\" says {}", where, x.size(),
                              (*counts)[u].get<std::size_t>()));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t before = rows.x.size();
      append_numbers(x[i], 0, where, rows.x);
      const std::size_t width = rows.x.size() - before;
      if (rows.targets.empty()) rows.width = width;
      if (width != rows.width || width == 0) {
        throw Error(fmt::format("{}: sample {} has {} features, but the first of all has {}", where, i + 1,
                                width, rows.width));
      }
      rows.targets.push_back(label_text(y[i], where));
      rows.clients.push_back(name);
      if (!part.empty()) rows.split.push_back(part);
    }
  }
}

ArrayRows read_leaf(const fs::path& path) {
  ArrayRows rows;
  rows.file = path.string();
  rows.x_name = "x";
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    append_file(path, "", rows);
  } else if (fs::is_directory(path / "train", ignored) && fs::is_directory(path / "test", ignored)) {
    for (const char* part : {"train", "test"}) {
      for (const fs::path& file : json_files(path / part)) append_file(file, part, rows);
    }
  } else {
    for (const fs::path& file : json_files(path)) append_file(file, "", rows);
  }
  if (rows.targets.empty())
    throw Error(rows.file + ": holds no samples: no .json file of LEAF with any user's");
  return rows;
}

}  // namespace coterie
