// "What I read" where clients hold the table: what they told of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fit/reading.h"
#include "run/first_asks.h"

namespace coterie {

// `file`: what the table is called. Columns are agreed on. Nobody but the clients knows of rows without a
// target, of columns that they took for identifiers, and of values that never change.
Reading read_told(const Config& config, const JoinedRoster& roster, const FirstAnswers& answers,
                  const std::string& file);

// Tells a roster's data from other data.
std::string mark_of(const JoinedRoster& roster);

nlohmann::ordered_json answers_json(const FirstAnswers& answers);
// `draft`: the roster's table, before columns were agreed on.
FirstAnswers answers_from(const nlohmann::ordered_json& json, const TableSchema& draft);

}  // namespace coterie
