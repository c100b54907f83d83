// What groups are: coefficients with intervals from rows that did not form the groups, and columns that
// describe clients.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fit/evidence.h"
#include "fit/reading.h"

namespace coterie {

struct GroupPortrait {
  struct Coefficient {
    std::string what;      // "age", "slope = 2", "intercept"; "walking: x" for one of several classes
    Vec value, low, high;  // by group, 95 %
    double apart = 0;      // the largest difference between two groups over its standard error
  };
  // A column of --describe against the groups.
  struct Association {
    std::string column;
    std::string measure;  // "V" (Cramer's, for texts) or "eta2" (the share of variance, for numbers)
    double strength = 0;  // 0 to 1
    double p = 1;         // by permutation of clients
    std::size_t clients = 0;
  };
  std::string why_none;                   // no coefficients: why
  std::vector<std::size_t> members;       // of each group, as the first half of rows formed them
  double agreement = 0;                   // of these groups with those of all rows: adjusted Rand index
  std::string unit;                       // of the coefficients, in words
  std::vector<Coefficient> coefficients;  // those that tell groups apart first
  std::vector<Association> associations;
};

// Groups are formed by one half of every client's training rows, and measured on the other half.
GroupPortrait draw_portrait(const Candidate& candidate, Arena& arena, const GroupEvidence& evidence,
                            const Reading& reading);

nlohmann::ordered_json portrait_json(const GroupPortrait& portrait);
GroupPortrait portrait_from(const nlohmann::ordered_json& json);

}  // namespace coterie
