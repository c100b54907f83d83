#include <cmath>
#include <nlohmann/json.hpp>

#include "fit/portrait.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

double figure_of(const Json& json) { return json.is_number() ? json.get<double>() : std::nan(""); }
Vec figures_of(const Json& json) {
  Vec all;
  for (const Json& one : json) all.push_back(figure_of(one));
  return all;
}

}  // namespace

Json portrait_json(const GroupPortrait& p) {
  Json coefficients = Json::array(), associations = Json::array();
  for (const GroupPortrait::Coefficient& one : p.coefficients) {
    coefficients.push_back({{"what", one.what},
                            {"value", one.value},
                            {"low", one.low},
                            {"high", one.high},
                            {"apart", one.apart}});
  }
  for (const GroupPortrait::Association& one : p.associations) {
    associations.push_back({{"column", one.column},
                            {"measure", one.measure},
                            {"strength", one.strength},
                            {"p", one.p},
                            {"clients", one.clients}});
  }
  return {{"why_none", p.why_none}, {"members", p.members},         {"agreement", p.agreement},
          {"unit", p.unit},         {"coefficients", coefficients}, {"associations", associations}};
}

GroupPortrait portrait_from(const Json& j) {
  GroupPortrait p;
  p.why_none = j.at("why_none");
  p.members = j.at("members").get<std::vector<std::size_t>>();
  p.agreement = figure_of(j.at("agreement"));
  p.unit = j.at("unit");
  for (const Json& one : j.at("coefficients")) {
    p.coefficients.push_back({one.at("what"), figures_of(one.at("value")), figures_of(one.at("low")),
                              figures_of(one.at("high")), figure_of(one.at("apart"))});
  }
  for (const Json& one : j.at("associations")) {
    p.associations.push_back({one.at("column"), one.at("measure"), figure_of(one.at("strength")),
                              figure_of(one.at("p")), one.at("clients")});
  }
  return p;
}

}  // namespace coterie
