// Reads columns one by one, then puts the rows that are kept together.
#include "data/formats/tabular.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "coterie/error.h"
#include "data/formats/columns.h"
#include "data/formats/detect.h"
#include "data/formats/row_roles.h"

namespace coterie {
namespace {

// A text column with more values than this is an identifier or a comment, unless the config asks for it.
constexpr std::size_t kMostCategories = 1000;

class Loader {
 public:
  Loader(const TabularSpec& spec, const Sheet& sheet, bool floats)
      : spec_(spec), sheet_(sheet), floats_(floats), missing_(spec.missing), keep_(sheet_.rows(), 1) {}

  Pool load() {
    Pool pool;
    choose_columns(pool);
    Target target = the_target(pool);
    for (std::size_t column : features_) read_feature(column, pool);
    if (matrix_.empty()) throw Error(sheet_.file() + ": no column is left for features");
    const std::size_t kept = static_cast<std::size_t>(std::count(keep_.begin(), keep_.end(), 1));
    if (kept == 0)
      throw Error(sheet_.file() +
                  ": no row is left: each lacks its target or, with impute = \"drop-row\", a feature");

    read_roles(pool);
    Samples& all = pool.train;
    all.targets = kept_of(target.values);
    all.shape = target.shape;
    TableSchema& schema = pool.table.emplace();
    schema.target = spec_.target;
    schema.classes = std::move(target.classes);
    schema.scaling = scaling_of(spec_.standardise);
    schema.impute = spec_.impute;
    schema.scales_target = all.shape.task == Task::regression && spec_.goal.standardise;
    schema.draft = true;
    all.features = matrix(kept, schema);
    all.shape.width = schema.features.size();
    if (spec_.pixels.any()) {
      for (const TableSchema::Feature& feature : schema.features) {
        if (feature.value)
          throw Error(sheet_.file() + ": column " + in_quotes(feature.column) + ": is no pixel");
      }
      make_images(spec_.pixels, sheet_.file(), all, floats_);
      pool.classes = std::move(schema.classes);
      pool.table.reset();
    }
    pool.test = all.empty_like();
    return pool;
  }

 private:
  // A column of numbers, or a column of text with one feature for each value.
  struct Feature {
    std::size_t column;
    Vec numbers;                       // by row of the sheet; NaN where missing
    std::vector<std::uint32_t> codes;  // by row of the sheet, below `width`
    std::size_t width = 1;
    std::vector<std::string> names = {};  // of the codes; "" for what is missing
  };

  [[noreturn]] void fail(std::size_t row, std::size_t column, const std::string& what) const {
    throw Error(sheet_.where(row).text() + ": column " + in_quotes(sheet_.columns()[column]) + ": " + what);
  }

  void choose_columns(Pool& pool) {
    std::vector<std::uint8_t> used(sheet_.columns().size());
    target_ = sheet_.column(spec_.target);
    used[target_] = 1;
    check_client(pool);
    for (const auto& role : {spec_.client, spec_.truth, spec_.split, spec_.weight, spec_.group, spec_.time}) {
      if (role) used[sheet_.column(*role)] = 1;
    }
    for (const std::string& name : spec_.drop) used[sheet_.column(name)] = 1;
    kept_.assign(sheet_.columns().size(), 0);
    for (const std::string& name : spec_.keep) kept_[sheet_.column(name)] = 1;
    one_hot_.assign(sheet_.columns().size(), 0);
    for (const std::string& name : spec_.categorical) one_hot_[sheet_.column(name)] = 1;
    for (std::size_t c = 0; c < used.size(); ++c) {
      if (!used[c]) features_.push_back(c);
    }
    if (features_.empty()) throw Error(sheet_.file() + ": no column is left for features");
  }

  // A column that is not there, or was not thought of: says which could be meant.
  void check_client(Pool& pool) const {
    const auto& columns = sheet_.columns();
    const bool there =
        spec_.client && std::find(columns.begin(), columns.end(), *spec_.client) != columns.end();
    if (there) return;
    std::vector<std::string> quoted;
    for (const std::string& name : possible_clients(sheet_, spec_.target, missing_))
      quoted.push_back(in_quotes(name));
    const std::string could = fmt::format("{}", fmt::join(quoted, ", "));
    if (spec_.client) {
      throw Error(fmt::format("{}: client: column {}{}", sheet_.file(), unknown_name(*spec_.client, columns),
                              could.empty() ? "" : "; columns that could name clients: " + could));
    }
    if (!could.empty() && !spec_.pixels.any()) {
      pool.notes.push_back(
          "no column names the clients (data.client), so rows are dealt to clients that are all alike; "
          "columns that "
          "could name them: " +
          could);
    }
  }

  Target the_target(Pool& pool) {
    NumberColumn numbers = read_numbers(sheet_, target_, missing_);
    const std::size_t present = sheet_.rows() - numbers.missing;
    if (present == 0)
      throw Error(sheet_.file() + ": no row has a target: column " + in_quotes(spec_.target) + " is empty");
    if (numbers.missing > 0) {
      pool.notes.push_back(
          fmt::format("{} of {} rows have no target and are left out", numbers.missing, sheet_.rows()));
    }
    if (spec_.goal.task == "auto" && numbers.first_other) {
      const std::string classes = "set task = \"classification\" to have a class for each value";
      check_text(target_, numbers, present - numbers.numbers, "make numbers of it, or " + classes,
                 "list it in missing, or " + classes);
    }
    leave_out_gaps(target_);
    return read_target(
        spec_.goal, std::move(numbers), read_categories(sheet_, target_, missing_), spec_.target,
        [&](std::size_t row, const std::string&, const std::string& what) { fail(row, target_, what); });
  }

  void leave_out_gaps(std::size_t column) {
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (missing_(sheet_.cell(row, column))) keep_[row] = 0;
    }
  }

  void read_feature(std::size_t column, Pool& pool) {
    NumberColumn numbers = read_numbers(sheet_, column, missing_);
    const bool listed = one_hot_[column] != 0;
    const std::size_t others = sheet_.rows() - numbers.numbers - numbers.missing;
    if (!listed && !kept_[column] && drop_ids(column, numbers, others, pool)) return;
    if (spec_.impute == "drop-row") leave_out_gaps(column);
    if (!listed && others == 0) {
      matrix_.push_back({column, std::move(numbers.values), {}, 1});
      return;
    }
    if (!listed) {
      check_text(column, numbers, others,
                 "make columns of numbers from it and list it in drop, or list it in categorical to have a "
                 "feature for "
                 "each value",
                 "list it in missing, or the column in categorical or drop");
    }
    CategoryColumn categories = read_categories(sheet_, column, missing_);
    std::size_t width = categories.names.size();
    if (!listed && width > kMostCategories) {
      fail(0, column,
           "is text with " + std::to_string(width) +
               " different values; list it in drop, or in categorical to have a feature for each");
    }
    if (numbers.missing > 0 && spec_.impute != "drop-row") {  // missing is a category of its own
      const auto last = static_cast<std::uint32_t>(width++);
      std::replace(categories.codes.begin(), categories.codes.end(), CategoryColumn::kMissing, last);
      categories.names.emplace_back();
    }
    matrix_.push_back({column, {}, std::move(categories.codes), width, std::move(categories.names)});
  }

  bool drop_ids(std::size_t column, const NumberColumn& numbers, std::size_t others, Pool& pool) const {
    const bool whole = others == 0 && std::all_of(numbers.values.begin(), numbers.values.end(), [](double x) {
                         return std::isnan(x) || x == std::floor(x);
                       });
    if (others == 0 && !whole) return false;
    if (others > 0 && numbers.numbers > others) return false;
    const std::string& name = sheet_.columns()[column];
    const std::size_t present = sheet_.rows() - numbers.missing;
    if (!looks_like_ids(name, present, present, whole)) return false;  // even if all were different
    std::unordered_set<std::string_view> values;
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const std::string_view text = sheet_.cell(row, column);
      if (!missing_(text)) values.insert(text);
    }
    if (!looks_like_ids(name, values.size(), present, whole)) return false;
    if (looks_like_dates(sheet_, column, missing_) || looks_like_measures(sheet_, column, missing_))
      return false;
    pool.notes.push_back(
        fmt::format("column {} is left out: its {} values are nearly all different, as those of an "
                    "identifier are; list it in "
                    "data.keep to have it as a feature",
                    in_quotes(name), values.size()));
    return true;
  }

  // Text that was meant to be something else. What to do about other forms of numbers, and about a slip.
  void check_text(std::size_t column, const NumberColumn& numbers, std::size_t others,
                  const std::string& reform, const std::string& mend) const {
    if (const auto comma = looks_like_decimal_commas(sheet_, column, missing_)) {
      fail(*numbers.first_other, column,
           in_quotes(*comma) + " has a comma before its fraction; set data.decimal = \",\"");
    }
    if (const auto date = looks_like_dates(sheet_, column, missing_)) {
      fail(*numbers.first_other, column,
           "has dates or times such as " + in_quotes(*date) +
               " (year, month, day of the week, hour, days since some "
               "date are numbers); " +
               reform);
    }
    if (const auto measure = looks_like_measures(sheet_, column, missing_)) {
      fail(*numbers.first_other, column,
           "has numbers with a unit or with marks of thousands, such as " + in_quotes(*measure) + "; " +
               reform);
    }
    if (numbers.numbers > others) {
      fail(*numbers.first_other, column,
           in_quotes(sheet_.cell(*numbers.first_other, column)) + " is not a number; " + mend);
    }
  }

  void read_roles(Pool& pool) const {
    const RowRoles roles(sheet_.file(), keep_,
                         [&](std::size_t row, const std::string& column, const std::string& what) {
                           fail(row, sheet_.column(column), what);
                         });
    const auto categories = [&](const std::string& column) {
      return read_categories(sheet_, sheet_.column(column), missing_);
    };
    if (spec_.client) roles.set_owners(pool, categories(*spec_.client), *spec_.client);
    if (spec_.truth) roles.set_truth(pool, categories(*spec_.truth), *spec_.truth);
    if (spec_.split) roles.set_parts(pool, categories(*spec_.split), *spec_.split);
    if (spec_.weight) {
      roles.set_weights(pool, read_numbers(sheet_, sheet_.column(*spec_.weight), missing_), *spec_.weight);
    }
    if (spec_.group) pool.train.kin = roles.codes(categories(*spec_.group), *spec_.group);
    if (spec_.time) pool.times = roles.codes(times(categories(*spec_.time)), *spec_.time);
    roles.set_numbers(pool);
  }

  // Dates as text are in order of time only when they begin with the year, and are all written alike:
  // 2024-5-31 would come after 2024-10-01.
  CategoryColumn times(CategoryColumn column) const {
    const bool numbers = std::all_of(column.names.begin(), column.names.end(),
                                     [](const std::string& name) { return to_number(name).has_value(); });
    if (numbers) return column;
    std::string longest;
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const std::uint32_t code = column.codes[row];
      if (!keep_[row] || code == CategoryColumn::kMissing) continue;
      const std::string& name = column.names[code];
      if (!begins_with_year(name)) {
        fail(row, sheet_.column(*spec_.time),
             in_quotes(name) +
                 " has no place in time: it must be a number, or a date that begins with its year, such as "
                 "2024-05-31");
      }
      if (name.size() > longest.size()) longest = name;
    }
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const std::uint32_t code = column.codes[row];
      if (!keep_[row] || code == CategoryColumn::kMissing) continue;
      if (written_alike(column.names[code], longest)) continue;
      fail(row, sheet_.column(*spec_.time),
           in_quotes(column.names[code]) + " is not written like " + in_quotes(longest) +
               ", so their order as text is not that in time: write all alike, with zeros in front "
               "(2024-05-31, 2024-05-31 09:15)");
    }
    return column;
  }

  template <class T>
  std::vector<T> kept_of(const std::vector<T>& values) const {
    std::vector<T> kept;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (keep_[row]) kept.push_back(values[row]);
    }
    return kept;
  }

  std::vector<double> matrix(std::size_t kept, TableSchema& schema) {
    std::size_t width = 0;
    for (const Feature& feature : matrix_) width += feature.width;
    std::vector<double> all(kept * width);
    double* first = all.data();
    for (Feature& feature : matrix_) {
      const std::string& name = sheet_.columns()[feature.column];
      for (const std::string& value : feature.names)
        schema.features.push_back({.column = name, .value = value});
      if (feature.names.empty()) schema.features.push_back({.column = name, .value = std::nullopt});
      double* at = first;
      for (std::uint32_t code : kept_of(feature.codes)) {
        at[code] = 1;
        at += width;
      }
      for (double x : kept_of(feature.numbers)) {
        *at = x;
        at += width;
      }
      first += feature.width;
      std::exchange(feature.numbers, {});  // not twice in memory; = {} would keep it
      std::exchange(feature.codes, {});
    }
    return all;
  }

  const TabularSpec& spec_;
  const Sheet& sheet_;
  const bool floats_;
  MissingTokens missing_;
  std::vector<std::uint8_t> keep_;  // by row
  std::size_t target_ = 0;
  std::vector<std::size_t> features_;  // columns
  std::vector<std::uint8_t> one_hot_;  // by column: listed in `categorical`
  std::vector<std::uint8_t> kept_;     // by column: listed in `keep`
  std::vector<Feature> matrix_;
};

}  // namespace

Pool make_pool(const TabularSpec& spec, const Sheet& sheet, bool floats) {
  return Loader(spec, sheet, floats).load();
}

std::string scaling_of(const std::string& standardise) {
  return standardise == "all" ? "clients" : standardise;
}

}  // namespace coterie
