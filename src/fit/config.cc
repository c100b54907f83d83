#include "fit/config.h"

#include <filesystem>

#include "base/text.h"

namespace coterie {
namespace {

void set_text(Table& table, const std::string& path, const std::string& text) {
  if (!text.empty()) set_path(table, path, {text, {}});
}

Array texts(const std::string& list) {
  Array all;
  for (const std::string& one : split(list, ',')) all.push_back({trim(one), {}});
  return all;
}

// Besides those that data.drop has: a list, or one text. Anything else there is left for read_config to
// refuse.
void drop_columns(Table& base, const std::vector<std::string>& columns) {
  const Value* given = find_path(base, "data.drop");
  Array drop;
  if (given != nullptr && given->is_array()) {
    drop = std::get<Array>(given->data);
  } else if (given != nullptr && std::holds_alternative<std::string>(given->data)) {
    drop.push_back(*given);
  } else if (given != nullptr) {
    return;
  }
  for (const std::string& column : columns) drop.push_back({column, {}});
  if (!columns.empty()) set_path(base, "data.drop", {drop, {}});
}

}  // namespace

Table fit_config(const FitArguments& a) {
  Table config;
  const std::string stem = std::filesystem::path(a.table).filename().string();
  set_text(config, "name", stem.substr(0, stem.find('.')));
  config.set("seed", {a.seed, {}});
  set_text(config, "data.source", "csv");
  set_text(config, "data.file", std::filesystem::absolute(a.table).lexically_normal().string());
  set_text(config, "data.client", a.client);
  set_text(config, "data.target", a.target);
  set_text(config, "data.truth", a.truth);
  set_text(config, "data.group", a.group);
  set_text(config, "data.time", a.time);
  if (!a.drop.empty()) set_path(config, "data.drop", {texts(a.drop), {}});
  set_path(config, "fit", {Table{}, {}});
  set_text(config, "fit.clusters", a.clusters);
  set_text(config, "fit.model", a.model);
  if (!a.methods.empty()) set_path(config, "fit.methods", {texts(a.methods), {}});
  if (!a.describe.empty()) set_path(config, "fit.describe", {texts(a.describe), {}});
  if (a.minutes > 0) set_path(config, "fit.minutes", {a.minutes, {}});
  return config;
}

Table plain_config(Table config, const FitOptions& options) {
  config.erase("fit");
  if (config.find("precision") == nullptr) config.set("precision", {std::string("double"), {}});
  if (config.find("seed") == nullptr) config.set("seed", {std::int64_t{1}, {}});
  drop_columns(config, options.describe);
  return config;
}

}  // namespace coterie
