#include "report/portrait_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "coterie/model.h"
#include "data/formats/safetensors.h"
#include "run/model_files.h"

namespace coterie {
namespace {

using Json = nlohmann::json;

// The number behind a prefix: "cluster_12".
std::optional<std::uint32_t> number_after(const std::string& text, const std::string& prefix) {
  if (!text.starts_with(prefix) || text.size() == prefix.size()) return std::nullopt;
  if (text.find_first_not_of("0123456789", prefix.size()) != std::string::npos) return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(text.substr(prefix.size())));
}

// A row has just one of the values of a column of text, so a number added to all of their coefficients and
// taken off the intercept predicts the same: training leaves their level to chance. Here they have mean 0.
void centre_texts(const TableColumns& columns, std::size_t scores, std::vector<Coefficient>& all) {
  const std::size_t width = columns.features.size();
  std::map<std::string, std::vector<std::size_t>> texts;  // column: its features
  for (std::size_t j = 0; j < width; ++j) {
    if (columns.features[j].value) texts[columns.features[j].column].push_back(j);
  }
  for (const auto& [column, features] : texts) {
    for (std::size_t s = 0; s < scores; ++s) {
      Coefficient& intercept = all[s];
      for (std::size_t k = 0; k < intercept.values.size(); ++k) {
        double mean = 0;
        for (const std::size_t j : features) {
          mean += all[(1 + j) * scores + s].values[k] / static_cast<double>(features.size());
        }
        for (const std::size_t j : features) all[(1 + j) * scores + s].values[k] -= mean;
        intercept.values[k] += mean;
      }
    }
  }
}

std::string string_in(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

}  // namespace

std::string ColumnName::text() const {
  if (!value) return column;
  return value->empty() ? column + " is missing" : column + " = " + *value;
}

LossTable read_losses(const std::string& folder) {
  LossTable table;
  std::vector<std::string> columns;
  for_each_row(folder + "/losses.csv", [&](const CsvRow& row) {
    if (columns.empty()) {
      for (const std::string& name : row.header()) {
        const auto cluster = number_after(name, "cluster_");
        const auto client = number_after(name, "client_");
        if (!cluster && !client) continue;
        table.of_clients = client.has_value();
        table.models.push_back(cluster ? *cluster : *client);
        columns.push_back(name);
      }
    }
    LossTable::Row one{row.index("id").value_or(0), row.text("name"), {}};
    for (const std::string& name : columns) one.losses.push_back(row.number(name));
    table.rows.push_back(std::move(one));
  });
  return table;
}

TableColumns read_columns(const std::string& folder) {
  TableColumns out;
  const std::string path = folder + "/schema.json";
  if (!is_file(path)) return out;
  const Json schema = Json::parse(read_file(path), nullptr, false);
  if (!schema.is_object() || !schema.contains("features") || !schema["features"].is_array()) return out;
  out.model = string_in(schema, "model");
  for (const Json& one : schema["features"]) {
    ColumnName name{string_in(one, "column")};
    if (one.contains("value")) name.value = string_in(one, "value");
    out.features.push_back(std::move(name));
  }
  const Json target = schema.value("target", Json::object());
  out.target = string_in(target, "column");
  if (target.contains("classes")) out.classes = target["classes"].get<std::vector<std::string>>();
  if (target.contains("mean")) out.target_mean = target["mean"].get<double>();
  if (target.contains("deviation")) out.target_deviation = target["deviation"].get<double>();
  return out;
}

std::vector<ColumnFacts> read_means(const std::string& folder) {
  std::vector<ColumnFacts> all;
  const TableColumns columns = read_columns(folder);
  for_each_row(folder + "/means.csv", [&](const CsvRow& row) {
    ColumnFacts one;
    // In the order of the features; the file alone does not tell a number from a value that is missing.
    one.target = all.size() >= columns.features.size();
    one.name = one.target ? ColumnName{row.text("column")} : columns.features[all.size()];
    one.mean = row.number("mean");
    one.deviation = row.number("deviation");
    for (std::size_t k = 0;; ++k) {
      const std::string name = fmt::format("mean_{}", k);
      if (std::find(row.header().begin(), row.header().end(), name) == row.header().end()) break;
      one.means.push_back(row.number(name));
    }
    all.push_back(std::move(one));
  });
  return all;
}

std::vector<Coefficient> read_coefficients(const std::string& folder, const TableColumns& columns,
                                           std::size_t clusters) {
  constexpr std::size_t kMostClusters = 64;
  constexpr std::size_t kMostNumbers = 1u << 20;
  const bool linear = columns.model == "linear" || columns.model == "softmax" || columns.model == "logistic";
  const std::size_t classes = columns.classes.size();
  const std::size_t width = columns.features.size();
  if (!linear || columns.empty() || clusters == 0 || clusters > kMostClusters ||
      clusters * width * std::max<std::size_t>(1, classes) > kMostNumbers)
    return {};
  const std::size_t scores = columns.model == "softmax" ? classes : 1;
  const std::vector<Layer> layers = {
      {.name = "weight", .shape = {scores, width}, .inputs_first = true},
      {.name = "bias", .offset = width * scores, .shape = {scores}},
  };
  std::vector<Vec> models;
  bool intercept = true;
  for (const bool with : {true, false}) {
    try {
      models.clear();
      for (std::size_t k = 0; k < clusters; ++k) {
        models.push_back(read_safetensors(folder + "/" + cluster_model_file(k),
                                          {layers.begin(), layers.end() - (with ? 0 : 1)}));
      }
      intercept = with;
      break;
    } catch (const Error&) {
      models.clear();  // without an intercept, or of features that are not columns
    }
  }
  if (models.empty()) return {};
  // The number of a score, or of the intercept; only differences between the scores of classes count.
  const auto score = [&](const Vec& w, std::size_t s, std::optional<std::size_t> feature) {
    const auto at = [&](std::size_t c) {
      return feature ? w[layers[0].place(c, *feature)] : w[layers[1].offset + c];
    };
    if (classes == 0) return at(0) * columns.target_deviation + (feature ? 0 : columns.target_mean);
    if (scores == 1) return at(0);
    if (scores == 2) return at(1) - at(0);
    double mean = 0;
    for (std::size_t c = 0; c < scores; ++c) mean += at(c) / static_cast<double>(scores);
    return at(s) - mean;
  };
  std::vector<Coefficient> all;
  const std::size_t told = scores > 2 ? scores : 1;
  const auto add = [&](const std::string& name, std::optional<std::size_t> feature) {
    for (std::size_t s = 0; s < told; ++s) {
      Coefficient one{name, scores > 2 ? columns.classes[s] : "", {}, !feature};
      for (const Vec& w : models) one.values.push_back(score(w, s, feature));
      all.push_back(std::move(one));
    }
  };
  if (intercept) add("intercept", std::nullopt);
  for (std::size_t j = 0; j < width; ++j) add(columns.features[j].text(), j);
  if (intercept) centre_texts(columns, told, all);
  return all;
}

}  // namespace coterie
