// What a run wrote about its clusters for its page: losses.csv, means.csv, and by schema.json the
// coefficients of linear models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/csv_rows.h"

namespace coterie {

// The mean loss of each model on what each client held out.
struct LossTable {
  struct Row {
    std::uint32_t client = 0;
    std::string name;
    std::vector<double> losses;  // by model; NaN where it is not finite

    // Its name, or "client 7".
    std::string called() const { return name.empty() ? "client " + std::to_string(client) : name; }
  };
  bool of_clients = false;            // each model is a client's own; else a cluster's
  std::vector<std::uint32_t> models;  // cluster or client, in order
  std::vector<Row> rows;              // by client

  bool empty() const { return rows.empty(); }
};
LossTable read_losses(const std::string& folder);

// One feature: a column of numbers, or one value of a column of text.
struct ColumnName {
  std::string column;
  std::optional<std::string> value = {};

  // "age", "sex = m", "city is missing".
  std::string text() const;
};

// A feature over all training rows and over those of each cluster; NaN for a cluster without rows.
struct ColumnFacts {
  ColumnName name;
  double mean = kAbsent;
  double deviation = kAbsent;
  std::vector<double> means;  // by cluster
  bool target = false;        // what is to be predicted
};
std::vector<ColumnFacts> read_means(const std::string& folder);

// What schema.json says of a table.
struct TableColumns {
  std::string model;
  std::vector<ColumnName> features;
  std::string target;
  std::vector<std::string> classes;  // empty for a regression
  double target_mean = 0;
  double target_deviation = 1;

  bool empty() const { return features.empty(); }
};
TableColumns read_columns(const std::string& folder);

// What one feature does to the outcome, by cluster: per deviation of its column, in the target's units or as
// log-odds. Beside an intercept, the values of a column of text have mean 0.
struct Coefficient {
  std::string feature;
  std::string outcome;         // the class it speaks for; empty where there is but one number
  std::vector<double> values;  // by cluster
  bool intercept = false;
};
// Of clusters 0 .. clusters-1, with the intercept first. Empty where the models are not linear in the
// columns, or are too many to read.
std::vector<Coefficient> read_coefficients(const std::string& folder, const TableColumns& columns,
                                           std::size_t clusters);

}  // namespace coterie
