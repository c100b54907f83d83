#include "run/schema.h"

#include <nlohmann/json.hpp>

#include "data/formats/safetensors.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

// Numbers that each client scales by its own rows have no common mean.
Json feature_json(const TableSchema::Feature& feature, bool common) {
  Json j{{"column", feature.column}};
  if (feature.value) {
    j["value"] = feature.value->empty() ? Json(nullptr) : Json(*feature.value);
  } else if (common) {
    j["missing"] = feature.fill;
    j["mean"] = feature.mean;
    j["deviation"] = feature.deviation;
  }
  return j;
}

void add_table(const TableSchema& table, Task task, Json& j) {
  j["target"] = {{"column", table.target}};
  if (task == Task::classification) {
    j["target"]["classes"] = table.classes;
  } else {
    j["target"]["mean"] = table.target_mean;
    j["target"]["deviation"] = table.target_deviation;
  }
  j["scaling"] = table.scaling;
  j["features"] = Json::array();
  for (const TableSchema::Feature& feature : table.features)
    j["features"].push_back(feature_json(feature, table.scaling != "each"));
}

}  // namespace

void write_schema(const RunFolder& folder, Session& session, const std::vector<std::string>& models) {
  const Config& config = session.config();
  const Shape& shape = session.roster().shape();
  bool classes = shape.task == Task::classification;
  Json j;
  j["task"] = classes ? "classification" : "regression";
  j["model"] = config.model_in_use();
  j["width"] = shape.width;
  if (classes) j["classes"] = shape.classes;
  if (shape.is_image()) {
    j["image"] = {{"height", shape.height}, {"width", shape.columns}, {"channels", shape.channels}};
  }
  j["format"] = kModelFormat;
  j["models"] = models;
  if (const TableSchema* table = session.roster().table()) add_table(*table, shape.task, j);
  folder.write("schema.json", j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace coterie
