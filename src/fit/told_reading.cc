#include "fit/told_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "data/fingerprint.h"

namespace coterie {

using Json = nlohmann::ordered_json;

namespace {

Reading::Client read_client(const Introduction& told, const std::optional<HoldingsReply>& holdings,
                            const std::optional<LabelsReply>& labels) {
  Reading::Client client;
  client.name = told.name;
  client.train = told.train + told.validation;
  client.test = told.test;
  if (labels) client.classes.assign(labels->counts.begin(), labels->counts.end());
  client.told_target = holdings.has_value();
  if (!holdings || holdings->target.count == 0) return client;
  const ColumnMoments& target = holdings->target;
  client.mean = target.middle();
  client.deviation = target.count > 1 && target.m2 > 0 ? target.deviation(target.count - 1) : 0;
  return client;
}

// Of a column, over all its features.
void find_gaps(const TableSchema& schema, const FirstAnswers& answers, Reading& reading) {
  for (const std::string& column : reading.columns) {
    Reading::Gap gap{column, 0, {}};
    for (std::size_t i = 0; i < reading.clients.size(); ++i) {
      if (!answers.holdings[i]) continue;
      std::size_t own = 0;
      for (std::size_t j = 0; j < schema.features.size(); ++j)
        own += schema.features[j].column == column ? answers.holdings[i]->missing[j] : 0;
      gap.cells += own;
      if (own == reading.clients[i].train + reading.clients[i].test)
        gap.everywhere.push_back(reading.clients[i].name);
    }
    if (gap.cells > 0) reading.gaps.push_back(std::move(gap));
  }
}

void list_dropped(const Table& resolved, Reading& reading) {
  const auto add = [&](const Value& value, const std::string& why) {
    const auto* column = std::get_if<std::string>(&value.data);
    if (column != nullptr && !column->empty()) reading.dropped.push_back({*column, why});
  };
  for (const char* role : {"client", "truth", "split", "weight", "group", "time"}) {
    if (const Value* column = find_path(resolved, std::string("data.") + role))
      add(*column, std::string("is the ") + role);
  }
  const Value* drop = find_path(resolved, "data.drop");
  if (drop == nullptr || !drop->is_array()) return;
  for (const Value& column : std::get<Array>(drop->data)) add(column, "left out as asked");
}

template <class Told>
std::size_t silent(const std::vector<std::optional<Told>>& all) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), std::nullopt));
}

}  // namespace

Reading read_told(const Config& config, const JoinedRoster& roster, const FirstAnswers& answers,
                  const std::string& file) {
  Reading reading;
  reading.file = file;
  reading.told = true;
  reading.task = roster.shape().task;
  const TableSchema& schema = *roster.table();
  reading.target = schema.target;
  reading.classes = schema.classes;
  reading.features = schema.features.size();
  for (const TableSchema::Feature& feature : schema.features) {
    if (reading.columns.empty() || reading.columns.back() != feature.column)
      reading.columns.push_back(feature.column);
  }
  for (std::size_t i = 0; i < roster.clients().size(); ++i)
    reading.clients.push_back(read_client(roster.clients()[i], answers.holdings[i], answers.labels[i]));
  reading.rows = reading.train_rows() + reading.test_rows();
  find_gaps(schema, answers, reading);
  list_dropped(config.resolved(), reading);
  const auto note = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      reading.notes.push_back(
          fmt::format("{} {} not tell {}", counted(count, "client"), count == 1 ? "does" : "do", what));
  };
  note(silent(answers.holdings),
       reading.task == Task::regression ? "gaps, and not the target's mean and deviation" : "gaps");
  if (reading.task == Task::classification)
    note(silent(answers.labels), "how many rows of each class there are");
  return reading;
}

std::string mark_of(const JoinedRoster& roster) {
  std::uint64_t samples = 0, sum = 0;
  for (const Introduction& one : roster.clients()) {
    samples += std::uint64_t{one.train} + one.validation + one.test;
    sum += mix(one.fingerprint, fingerprint(one.name));
  }
  return fmt::format("{} {} {:016x} elsewhere", roster.training(), samples, sum);
}

Json answers_json(const FirstAnswers& answers) {
  Json holdings = Json::array(), labels = Json::array(), features = Json::array();
  for (const auto& one : answers.holdings) {
    if (!one) {
      holdings.push_back(nullptr);
      continue;
    }
    const ColumnMoments& m = one->target;
    holdings.push_back({{"missing", one->missing}, {"target", {m.count, m.mean, m.m2, m.unit}}});
  }
  for (const auto& one : answers.labels) labels.push_back(one ? Json(one->counts) : Json(nullptr));
  for (const TableSchema::Feature& one : answers.table.features)
    features.push_back({one.fill, one.mean, one.deviation});
  return {{"holdings", holdings},
          {"labels", labels},
          {"features", features},
          {"target", {answers.table.target_mean, answers.table.target_deviation}}};
}

FirstAnswers answers_from(const Json& json, const TableSchema& draft) {
  FirstAnswers answers;
  for (const Json& one : json.at("holdings")) {
    auto& held = answers.holdings.emplace_back();
    if (one.is_null()) continue;
    const Json& m = one.at("target");
    held = HoldingsReply{one.at("missing"), {m.at(0), m.at(1), m.at(2), m.at(3)}};
  }
  for (const Json& one : json.at("labels")) {
    auto& told = answers.labels.emplace_back();
    if (!one.is_null()) told = LabelsReply{one};
  }
  answers.table = draft;
  answers.table.draft = false;
  for (std::size_t j = 0; j < answers.table.features.size(); ++j) {
    const Json& one = json.at("features").at(j);
    TableSchema::Feature& feature = answers.table.features[j];
    feature.fill = one.at(0), feature.mean = one.at(1), feature.deviation = one.at(2);
  }
  answers.table.target_mean = json.at("target").at(0);
  answers.table.target_deviation = json.at("target").at(1);
  return answers;
}

}  // namespace coterie
