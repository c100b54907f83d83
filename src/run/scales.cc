#include "run/scales.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "coterie/error.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

Json numbers_of(const TableSchema& schema, double TableSchema::Feature::*member) {
  Json list = Json::array();
  for (const TableSchema::Feature& feature : schema.features) {
    if (!feature.value) list.push_back(feature.*member);
  }
  return list;
}

// Whether the list had one finite number for each column of numbers.
bool set_numbers(const Json& list, double TableSchema::Feature::*member, TableSchema& schema) {
  std::size_t next = 0;
  for (TableSchema::Feature& feature : schema.features) {
    if (feature.value) continue;
    if (next == list.size() || !list[next].is_number()) return false;
    feature.*member = list[next++].get<double>();
    if (!std::isfinite(feature.*member)) return false;
  }
  return next == list.size();
}

Json columns_of(const TableSchema& schema) {
  Json names = Json::array();
  for (const TableSchema::Feature& feature : schema.features) {
    if (!feature.value) names.push_back(feature.column);
  }
  return names;
}

}  // namespace

void Scales::write(const std::string& path) const {
  Json j;
  j["format"] = "1";
  j["columns"] = clients.empty() ? Json::array() : columns_of(clients.begin()->second);
  j["clients"] = Json::array();
  for (const auto& [client, schema] : clients) {
    j["clients"].push_back({{"id", client},
                            {"missing", numbers_of(schema, &TableSchema::Feature::fill)},
                            {"means", numbers_of(schema, &TableSchema::Feature::mean)},
                            {"deviations", numbers_of(schema, &TableSchema::Feature::deviation)}});
  }
  write_atomically(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Scales Scales::read(const std::string& path, const TableSchema& agreed) {
  const Error damaged(path + " was changed or damaged after the run; restore it, or run again with --force");
  const Json json = Json::parse(read_file(path), nullptr, false);
  Scales scales;
  try {
    for (const Json& one : json.at("clients")) {
      TableSchema own = agreed;
      const bool whole = set_numbers(one.at("missing"), &TableSchema::Feature::fill, own) &&
                         set_numbers(one.at("means"), &TableSchema::Feature::mean, own) &&
                         set_numbers(one.at("deviations"), &TableSchema::Feature::deviation, own);
      if (!whole) throw damaged;
      scales.clients[one.at("id").get<ClientId>()] = std::move(own);
    }
  } catch (const Json::exception&) {
    throw damaged;
  }
  return scales;
}

}  // namespace coterie
