// Do clients differ, are there groups among them, are the groups found again: statistics from one exchange of
// estimates, apart from any contest.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fit/contest.h"
#include "groups/homogeneity.h"
#include "groups/stability.h"

namespace coterie {

enum class GroupAnswer { yes, no, unsure };
std::string answer_name(GroupAnswer answer);  // "yes", "no", "unsure"

// Residuals against predictions, each client by its own estimate: where a straight line does not fit, clients
// with different inputs have different slopes, which looks like groups.
struct Misfit {
  double t = 0;  // sum of clients' scores over its deviation over clients
  double p = 1;
};

// Residuals of rows that are next to each other in a client's file.
struct RowOrder {
  double pairs = 0;
  double correlation = 0;

  // Clearly positive: rows of a client are not independent of each other.
  bool dependent() const;
};

struct GroupEvidence {
  std::string why_none;  // there is no test with this model; nothing else counts then
  std::string model;
  std::size_t width = 0;           // coefficients that are compared
  std::size_t directions_cut = 0;  // others, which clients have too few rows for
  std::vector<ClientId> clients;   // that are in the statistics, ascending
  std::size_t too_few = 0;         // clients with too few rows for them
  std::size_t least_rows = 0;      // that it takes
  Homogeneity homogeneity;
  std::vector<GroupStep> steps;       // K groups against K + 1
  std::size_t groups = 1;             // by the test
  double p = 1;                       // of one group against two
  std::vector<std::uint32_t> labels;  // of the clients above, for max(2, groups) groups
  Vec sure;                           // of the clients above: probability of that group
  bool spread_is_zero = false;        // no spread inside groups is left beyond noise
  Stability stability;
  Misfit misfit;
  RowOrder order;
  GroupAnswer there_are = GroupAnswer::unsure;
  std::string why;  // in words
};

// `candidate`: a plain model with the start "mixture", whose clients know the jobs.
GroupEvidence gather_evidence(const Candidate& candidate, Arena& arena, std::size_t most_groups);

// The answer and its reason, from the figures.
void judge_groups(GroupEvidence& evidence);

nlohmann::ordered_json evidence_json(const GroupEvidence& evidence);
GroupEvidence evidence_from(const nlohmann::ordered_json& json);

}  // namespace coterie
