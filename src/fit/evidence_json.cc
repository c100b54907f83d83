#include <cmath>
#include <nlohmann/json.hpp>

#include "fit/evidence.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

double number_of(const Json& json) { return json.is_number() ? json.get<double>() : std::nan(""); }

}  // namespace

Json evidence_json(const GroupEvidence& e) {
  Json steps = Json::array();
  for (const GroupStep& step : e.steps) {
    steps.push_back({{"groups", step.groups},
                     {"statistic", step.statistic},
                     {"p", step.p},
                     {"critical", step.critical},
                     {"resamples", step.resamples},
                     {"stopped_early", step.stopped_early},
                     {"rejected", step.rejected}});
  }
  const Homogeneity& h = e.homogeneity;
  const Stability& s = e.stability;
  return {{"why_none", e.why_none},
          {"model", e.model},
          {"width", e.width},
          {"directions_cut", e.directions_cut},
          {"clients", e.clients},
          {"too_few", e.too_few},
          {"least_rows", e.least_rows},
          {"homogeneity",
           {{"statistic", h.statistic},
            {"freedom", h.freedom},
            {"p_chi2", h.p_chi2},
            {"p", h.p},
            {"replicates", h.replicates},
            {"beyond_noise", h.beyond_noise},
            {"spread_share", h.spread_share}}},
          {"steps", steps},
          {"groups", e.groups},
          {"p", e.p},
          {"labels", e.labels},
          {"sure", e.sure},
          {"spread_is_zero", e.spread_is_zero},
          {"stability",
           {{"resamples", s.resamples},
            {"jaccard", s.jaccard},
            {"by_chance", s.by_chance},
            {"stability", s.stability},
            {"least", s.least},
            {"client_share", s.client_share},
            {"same_count", s.same_count}}},
          {"misfit", {{"t", e.misfit.t}, {"p", e.misfit.p}}},
          {"neighbours", {{"pairs", e.order.pairs}, {"correlation", e.order.correlation}}}};
}

GroupEvidence evidence_from(const Json& j) {
  GroupEvidence e;
  e.why_none = j.at("why_none");
  e.model = j.at("model");
  e.width = j.at("width");
  e.directions_cut = j.at("directions_cut");
  e.clients = j.at("clients").get<std::vector<ClientId>>();
  e.too_few = j.at("too_few");
  e.least_rows = j.at("least_rows");
  const Json& h = j.at("homogeneity");
  e.homogeneity.statistic = number_of(h.at("statistic"));
  e.homogeneity.freedom = number_of(h.at("freedom"));
  e.homogeneity.p_chi2 = number_of(h.at("p_chi2"));
  e.homogeneity.p = number_of(h.at("p"));
  e.homogeneity.replicates = h.at("replicates");
  e.homogeneity.beyond_noise = number_of(h.at("beyond_noise"));
  e.homogeneity.spread_share = number_of(h.at("spread_share"));
  for (const Json& step : j.at("steps")) {
    e.steps.push_back({step.at("groups"), number_of(step.at("statistic")), number_of(step.at("p")),
                       number_of(step.at("critical")), step.at("resamples"), step.at("stopped_early"),
                       step.at("rejected")});
  }
  e.groups = j.at("groups");
  e.p = number_of(j.at("p"));
  e.labels = j.at("labels").get<std::vector<std::uint32_t>>();
  for (const Json& one : j.at("sure")) e.sure.push_back(number_of(one));
  e.spread_is_zero = j.at("spread_is_zero");
  const Json& s = j.at("stability");
  e.stability.resamples = s.at("resamples");
  for (const Json& one : s.at("jaccard")) e.stability.jaccard.push_back(number_of(one));
  e.stability.by_chance = number_of(s.at("by_chance"));
  for (const Json& one : s.at("stability")) e.stability.stability.push_back(number_of(one));
  e.stability.least = number_of(s.at("least"));
  for (const Json& one : s.at("client_share")) e.stability.client_share.push_back(number_of(one));
  e.stability.same_count = number_of(s.at("same_count"));
  e.misfit = {number_of(j.at("misfit").at("t")), number_of(j.at("misfit").at("p"))};
  const Json& order = j.at("neighbours");
  e.order = {number_of(order.at("pairs")), number_of(order.at("correlation"))};
  judge_groups(e);
  return e;
}

}  // namespace coterie
