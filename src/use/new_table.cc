#include "use/new_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/disk.h"
#include "base/text.h"
#include "data/formats/columns.h"
#include "data/formats/sheet.h"
#include "data/table_scaling.h"

namespace coterie {
namespace {

constexpr std::uint32_t kUnknownText = ~std::uint32_t{0};

// Texts by number. Numbers that are written otherwise ("1" and "1.0") are the same text.
class Texts {
 public:
  void add(const std::string& text, std::uint32_t code) {
    codes_.emplace(text, code);
    if (const auto number = to_number(text)) numbers_.emplace(*number, code);
  }
  std::uint32_t operator()(std::string_view text) const {
    if (const auto found = codes_.find(std::string(text)); found != codes_.end()) return found->second;
    const auto number = to_number(text);
    const auto found = number ? numbers_.find(*number) : numbers_.end();
    return found == numbers_.end() ? kUnknownText : found->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> codes_;
  std::unordered_map<double, std::uint32_t> numbers_;
};

class RowReader {
 public:
  RowReader(const Sheet& sheet, const FinishedRun& run)
      : sheet_(sheet), run_(run), missing_(run.reading().missing) {}

  // Says all missing columns at once.
  void check_columns(const std::optional<std::string>& client) const {
    std::vector<std::string> absent;
    const auto need = [&](const std::string& name) {
      if (!has(name) && std::find(absent.begin(), absent.end(), name) == absent.end()) absent.push_back(name);
    };
    if (client) need(*client);
    for (const TableSchema::Feature& feature : run_.table().features) need(feature.column);
    if (absent.empty()) return;
    std::vector<std::string> shown;
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < absent.size() && i < kMost; ++i) {
      const std::string near = nearest_name(absent[i], sheet_.columns());
      shown.push_back(in_quotes(absent[i]) + (near.empty() ? "" : " (there is " + in_quotes(near) + ")"));
    }
    if (absent.size() > kMost) shown.push_back(fmt::format("and {} more", absent.size() - kMost));
    throw Error(fmt::format("{}: {} that the run was trained with {} missing: {}", sheet_.file(),
                            absent.size() == 1 ? "a column" : "columns", absent.size() == 1 ? "is" : "are",
                            join(shown, ", ")));
  }

  // Features as they stand in the file, NaN for what is missing.
  Samples read(std::vector<std::uint8_t>& has_target) {
    Samples all;
    all.shape = run_.shape();
    read_targets(all.targets, has_target);
    all.features = matrix();
    read_weights(has_target, all.weights);
    return all;
  }

  // Makes features of these rows.
  template <class Real>
  void scale(const Samples& raw, std::span<const std::uint32_t> rows, const TableSchema& schema,
             std::vector<Real>& out) const {
    const auto& values = std::get<std::vector<double>>(raw.features);
    const std::size_t width = raw.shape.width;
    for (const std::uint32_t row : rows) {
      for (std::size_t f = 0; f < width; ++f) {
        const double value = feature(values[row * width + f], schema.features[f]);
        if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<Real>::max())))
          fail(row, schema.features[f].column, "is too large a number for the run's precision");
        out[row * width + f] = static_cast<Real>(value);
      }
    }
  }

  bool names_client(std::size_t row, std::size_t place) const { return !missing_(sheet_.cell(row, place)); }

  std::vector<std::string> warnings;

 private:
  bool has(const std::string& name) const {
    return std::find(sheet_.columns().begin(), sheet_.columns().end(), name) != sheet_.columns().end();
  }
  [[noreturn]] void fail(std::size_t row, const std::string& column, const std::string& what) const {
    throw Error(sheet_.where(row).text() + ": column " + in_quotes(column) + ": " + what);
  }
  double number(std::size_t row, std::size_t place, const std::string& column) const {
    const std::string_view text = sheet_.cell(row, place);
    const auto value = to_number(text);
    if (!value) fail(row, column, in_quotes(text) + " is not a number, as the run reads this column");
    return *value;
  }

  void read_targets(Vec& targets, std::vector<std::uint8_t>& has_target) {
    const TableSchema& table = run_.table();
    targets.assign(sheet_.rows(), 0.0);
    has_target.assign(sheet_.rows(), 0);
    if (!has(table.target)) return;
    const std::size_t place = sheet_.column(table.target);
    const bool classes = run_.shape().task == Task::classification;
    Texts names;
    for (std::uint32_t c = 0; c < table.classes.size(); ++c) names.add(table.classes[c], c);
    std::size_t unknown = 0;
    std::string first;
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const std::string_view text = sheet_.cell(row, place);
      if (missing_(text) || trim(text).empty()) continue;
      if (!classes) {
        targets[row] = (number(row, place, table.target) - table.target_mean) / table.target_deviation;
      } else if (run_.reading().threshold) {
        targets[row] = number(row, place, table.target) > *run_.reading().threshold ? 1 : 0;
      } else if (const std::uint32_t code = names(text); code != kUnknownText) {
        targets[row] = code;
      } else {
        if (unknown++ == 0) first = text;
        continue;
      }
      has_target[row] = 1;
    }
    if (unknown > 0) {
      warnings.push_back(fmt::format(
          "{} of {} a class that the run does not know, the first {}: they count "
          "as rows without a target",
          unknown, counted(sheet_.rows(), "row") + (unknown == 1 ? " has" : " have"), in_quotes(first)));
    }
  }

  // Training rows settle a client; others need no weight.
  void read_weights(const std::vector<std::uint8_t>& has_target, Vec& weights) {
    const std::optional<std::string>& column = run_.reading().weight;
    if (!column || std::find(has_target.begin(), has_target.end(), 1) == has_target.end()) return;
    if (!has(*column)) {
      warnings.push_back(
          fmt::format("there is no column {}, which has the weights of rows in the run: every "
                      "row counts the same",
                      in_quotes(*column)));
      return;
    }
    const std::size_t place = sheet_.column(*column);
    weights.assign(sheet_.rows(), 1.0);
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (!has_target[row]) continue;
      const std::string_view text = sheet_.cell(row, place);
      const auto weight = to_number(text);
      if (!weight || *weight < 0)
        fail(row, *column, in_quotes(text) + " is no weight: it must be a number that is not negative");
      weights[row] = *weight;
    }
  }

  std::vector<double> matrix() {
    const auto& features = run_.table().features;
    const std::size_t width = run_.shape().width;
    std::vector<double> all(sheet_.rows() * width);
    for (std::size_t f = 0; f < features.size();) {
      const std::size_t place = sheet_.column(features[f].column);
      if (!features[f].value) {
        for (std::size_t row = 0; row < sheet_.rows(); ++row) {
          all[row * width + f] = missing_(sheet_.cell(row, place)) ? std::numeric_limits<double>::quiet_NaN()
                                                                   : number(row, place, features[f].column);
        }
        ++f;
        continue;
      }
      std::size_t end = f;
      Texts values;
      std::optional<std::uint32_t> absent;  // the category of what is missing
      for (; end < features.size() && features[end].value && features[end].column == features[f].column;
           ++end) {
        if (features[end].value->empty()) {
          absent = static_cast<std::uint32_t>(end);
        } else {
          values.add(*features[end].value, static_cast<std::uint32_t>(end));
        }
      }
      std::size_t unknown = 0;
      std::string first;
      for (std::size_t row = 0; row < sheet_.rows(); ++row) {
        const std::string_view text = sheet_.cell(row, place);
        std::uint32_t code = kUnknownText;
        if (!missing_(text)) {
          code = values(text);
        } else if (absent) {
          code = *absent;
        }
        if (code != kUnknownText) {
          all[row * width + code] = 1;
        } else if (unknown++ == 0) {
          first = text;
        }
      }
      if (unknown > 0) {
        warnings.push_back(
            fmt::format("column {}: {} a value that the run does not know, the first {}: none of "
                        "its features is set there",
                        in_quotes(features[f].column),
                        counted(unknown, "row") + (unknown == 1 ? " has" : " have"), in_quotes(first)));
      }
      f = end;
    }
    return all;
  }

  double feature(double raw, const TableSchema::Feature& how) const {
    if (how.value) return raw;
    // Without a fill that was agreed on, the mean of the column says least.
    const double fill = run_.reading().dropped ? how.mean : how.fill;
    return scaled(std::isnan(raw) ? fill : raw, how.mean, how.deviation);
  }

  const Sheet& sheet_;
  const FinishedRun& run_;
  MissingTokens missing_;
};

// Tables are separated as the run's was; nothing can be set.
Sheet read_sheet(const std::string& path, char separator) {
  try {
    return Sheet::read(path, separator);
  } catch (const Error& e) {
    std::string text = e.what();
    if (const std::size_t advice = text.find(" Set data.separator"); advice != std::string::npos)
      text =
          text.substr(0, advice) + fmt::format(" The run's are separated by {}", in_quotes({&separator, 1}));
    throw Error(text);
  }
}

// Fewer rows than this tell little of a client's means and deviations.
constexpr std::size_t kFewRows = 5;

}  // namespace

NewTable::NewTable(const std::string& path, const FinishedRun& run, const std::optional<std::string>& client,
                   Meet meet) {
  try {
    if (!is_file(path)) throw Error(path + ": there is no such file");
    Sheet sheet = read_sheet(path, run.reading().separator);
    if (run.reading().decimal_commas) sheet.read_decimal_commas();
    const std::optional<std::string> column = client ? client : run.reading().client;
    RowReader reader(sheet, run);
    reader.check_columns(column);
    std::vector<std::uint8_t> has_target;
    all_ = reader.read(has_target);

    const std::optional<std::size_t> place = column ? std::optional(sheet.column(*column)) : std::nullopt;
    std::unordered_map<std::string, std::size_t> met;
    for (std::uint32_t row = 0; row < sheet.rows(); ++row) {
      const std::string name = place ? std::string(sheet.cell(row, *place)) : "all";
      if (place && !reader.names_client(row, *place)) {
        throw Error(sheet.where(row).text() + ": column " + in_quotes(*column) +
                    ": is missing: a row must name its client");
      }
      const auto [at, fresh] = met.emplace(name, clients_.size());
      if (fresh) clients_.push_back({name, {}, {}});
      clients_[at->second].rows.push_back(row);
      if (has_target[row]) clients_[at->second].labelled.push_back(row);
    }

    const auto scale_as = [&](auto real) {
      std::vector<decltype(real)> features(all_.size() * all_.shape.width);
      for (const Client& one : clients_) reader.scale(all_, one.rows, schema_of(one, run, meet), features);
      all_.features = std::move(features);
    };
    if (run.program().precision() == Precision::f32) {
      scale_as(float{});
    } else {
      scale_as(double{});
    }
    warnings_ = std::move(reader.warnings);
    if (scaled_by_few_ > 0) {
      warnings_.push_back(
          fmt::format("{} of {} new and scaled by fewer than {} rows (standardise = \"each\"): their means "
                      "and deviations "
                      "say little",
                      scaled_by_few_,
                      counted(clients_.size(), "client") + (scaled_by_few_ == 1 ? " is" : " are"), kFewRows));
    }
  } catch (const Error& e) {
    throw BadConfig(std::string("error: ") + e.what());
  }
}

TableSchema NewTable::schema_of(const Client& client, const FinishedRun& run, Meet meet) {
  if (run.table().scaling != "each") return run.table();
  const FinishedRun::Known* known = meet == Meet::known ? run.find(client.name) : nullptr;
  if (known != nullptr) return run.table_of(*known);
  const std::vector<std::uint32_t>& rows = client.labelled.empty() ? client.rows : client.labelled;
  scaled_by_few_ += rows.size() < kFewRows ? 1 : 0;
  return own_schema(run.table(), all_.rows(rows));
}

std::shared_ptr<const Samples> NewTable::samples(ClientId client, Part part, std::uint32_t) const {
  const Client& one = clients_.at(client);
  if (part == Part::validation) return std::make_shared<const Samples>(all_.empty_like());
  return std::make_shared<const Samples>(all_.rows(part == Part::train ? one.labelled : one.rows));
}

}  // namespace coterie
