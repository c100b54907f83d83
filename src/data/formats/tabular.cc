// Reads columns one by one, then puts the rows that are kept together.
#include "data/formats/tabular.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "coterie/error.h"
#include "data/formats/columns.h"

namespace coterie {
namespace {

// A text column with more values than this is an identifier or a comment, unless the config asks for it.
constexpr std::size_t kMostCategories = 1000;
// A target of at most so many different whole numbers is taken for a class.
constexpr std::size_t kMostNumericClasses = 20;

class Loader {
 public:
  Loader(const TabularSpec& spec, const Sheet& sheet, Precision precision)
      : spec_(spec), sheet_(sheet), precision_(precision), missing_(spec.missing), keep_(sheet_.rows(), 1) {}

  Pool load() {
    choose_columns();
    read_target();
    for (std::size_t column : features_) read_feature(column);
    const std::size_t kept = static_cast<std::size_t>(std::count(keep_.begin(), keep_.end(), 1));
    if (kept == 0)
      throw Error(sheet_.file() +
                  ": no row is left: each lacks its target or, with impute = \"drop-row\", a feature");

    Pool pool;
    read_owners(pool);
    Samples& all = pool.train;
    all.targets = kept_of(targets_);
    schema_.target = spec_.target;
    if (spec_.standardise_target) {
      const ColumnScaling scaling = standardise(all.targets);
      schema_.target_mean = scaling.mean;
      schema_.target_deviation = scaling.deviation;
    }
    if (precision_ == Precision::f32) {
      all.features = matrix<float>(kept);
    } else {
      all.features = matrix<double>(kept);
    }
    all.shape = shape_;
    pool.table = std::move(schema_);
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

  void choose_columns() {
    std::vector<std::uint8_t> used(sheet_.columns().size());
    target_ = sheet_.column(spec_.target);
    used[target_] = 1;
    if (spec_.client) used[sheet_.column(*spec_.client)] = 1;
    for (const std::string& name : spec_.drop) used[sheet_.column(name)] = 1;
    one_hot_.assign(sheet_.columns().size(), 0);
    for (const std::string& name : spec_.categorical) one_hot_[sheet_.column(name)] = 1;
    for (std::size_t c = 0; c < used.size(); ++c) {
      if (!used[c]) features_.push_back(c);
    }
    if (features_.empty()) throw Error(sheet_.file() + ": no column is left for features");
  }

  void read_target() {
    NumberColumn numbers = read_numbers(sheet_, target_, missing_);
    const bool regression = spec_.task == "regression";
    if ((regression || spec_.threshold) && numbers.first_other) {
      fail(*numbers.first_other, target_,
           in_quotes(sheet_.cell(*numbers.first_other, target_)) +
               " is not a number; list it in missing, or use task = " +
               "\"classification\" without threshold");
    }
    CategoryColumn classes = read_categories(sheet_, target_, missing_);
    const bool whole =
        !numbers.first_other && std::all_of(numbers.values.begin(), numbers.values.end(),
                                            [](double x) { return std::isnan(x) || x == std::floor(x); });
    const bool looks_like_classes =
        numbers.first_other || (whole && classes.names.size() <= kMostNumericClasses);
    if (regression || (spec_.task == "auto" && !spec_.threshold && !looks_like_classes)) {
      shape_.task = Task::regression;
      targets_ = std::move(numbers.values);
    } else {
      shape_.task = Task::classification;
      shape_.classes = spec_.threshold ? 2 : classes.names.size();
      schema_.classes = classes.names;
      if (spec_.threshold) {
        schema_.classes = {fmt::format("at most {}", *spec_.threshold),
                           fmt::format("above {}", *spec_.threshold)};
      }
      if (shape_.classes < 2)
        throw Error(sheet_.file() + ": target " + in_quotes(spec_.target) + " has fewer than two classes");
      targets_.resize(sheet_.rows());
      for (std::size_t row = 0; row < sheet_.rows(); ++row) {
        targets_[row] = spec_.threshold ? (numbers.values[row] > *spec_.threshold) : classes.codes[row];
      }
    }
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (missing_(sheet_.cell(row, target_))) keep_[row] = 0;
    }
  }

  void read_feature(std::size_t column) {
    NumberColumn numbers = read_numbers(sheet_, column, missing_);
    if (spec_.impute == "drop-row") {
      for (std::size_t row = 0; row < sheet_.rows(); ++row) {
        if (missing_(sheet_.cell(row, column))) keep_[row] = 0;
      }
    }
    const std::size_t others = sheet_.rows() - numbers.numbers - numbers.missing;
    // With a list of categorical columns the rest must be numbers; without one, columns that mostly are.
    const bool listed = one_hot_[column] != 0;
    if (!listed && others > 0 && (!spec_.categorical.empty() || numbers.numbers > others)) {
      fail(*numbers.first_other, column,
           in_quotes(sheet_.cell(*numbers.first_other, column)) +
               " is not a number; list it in missing, or the column in categorical or drop");
    }
    if (!listed && others == 0) {
      matrix_.push_back({column, std::move(numbers.values), {}, 1});
      return;
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

  void read_owners(Pool& pool) const {
    if (!spec_.client) return;
    const std::size_t column = sheet_.column(*spec_.client);
    const CategoryColumn clients = read_categories(sheet_, column, missing_);
    constexpr std::uint32_t kUnused = CategoryColumn::kMissing;
    std::vector<std::uint32_t> place(clients.names.size(), kUnused);
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (clients.codes[row] == CategoryColumn::kMissing)
        fail(row, column, "is missing: a row must name its client");
      if (keep_[row]) place[clients.codes[row]] = 0;
    }
    std::vector<std::string> absent;
    for (std::size_t k = 0; k < place.size(); ++k) {
      if (place[k] == kUnused) {
        absent.push_back(clients.names[k]);
        continue;
      }
      place[k] = static_cast<std::uint32_t>(pool.owner_names.size());
      pool.owner_names.push_back(clients.names[k]);
    }
    if (!absent.empty()) {
      pool.notes.push_back(fmt::format("{} owners in {} have no usable row and take no part, the first: {}",
                                       absent.size(), sheet_.file(), in_quotes(absent.front())));
    }
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (keep_[row]) pool.owners.push_back(place[clients.codes[row]]);
    }
  }

  template <class T>
  std::vector<T> kept_of(const std::vector<T>& values) const {
    std::vector<T> kept;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (keep_[row]) kept.push_back(values[row]);
    }
    return kept;
  }

  // Fills in what is missing, then standardises: the result has mean 0 and deviation 1.
  Vec finished(const Vec& numbers, TableSchema::Feature& feature) const {
    Vec values = kept_of(numbers);
    Vec present;
    std::copy_if(values.begin(), values.end(), std::back_inserter(present),
                 [](double x) { return !std::isnan(x); });
    const double fill = spec_.impute == "mean" ? mean_of(present) : 0;
    for (double& x : values) x = std::isnan(x) ? fill : x;
    const ColumnScaling scaling = spec_.standardise == "all" ? standardise(values) : ColumnScaling{};
    feature.fill = fill;
    feature.mean = scaling.mean;
    feature.deviation = scaling.deviation;
    return values;
  }

  template <class Real>
  std::vector<Real> matrix(std::size_t kept) {
    for (const Feature& feature : matrix_) shape_.width += feature.width;
    std::vector<Real> all(kept * shape_.width);
    Real* first = all.data();
    for (const Feature& feature : matrix_) {
      const std::string& name = sheet_.columns()[feature.column];
      for (const std::string& value : feature.names)
        schema_.features.push_back({.column = name, .value = value});
      if (feature.names.empty()) schema_.features.push_back({.column = name, .value = std::nullopt});
      if (!feature.codes.empty()) {
        Real* row = first;
        for (std::uint32_t code : kept_of(feature.codes)) {
          row[code] = 1;
          row += shape_.width;
        }
      } else {
        Real* at = first;
        for (double x : finished(feature.numbers, schema_.features.back())) {
          if (std::abs(x) > std::numeric_limits<Real>::max()) {
            throw Error(
                fmt::format("{}: column {}: has numbers that are too large for float, such as {}; use "
                            "standardise = \"all\" or precision = \"double\"",
                            sheet_.file(), in_quotes(name), x));
          }
          *at = static_cast<Real>(x);
          at += shape_.width;
        }
      }
      first += feature.width;
    }
    return all;
  }

  const TabularSpec& spec_;
  const Sheet& sheet_;
  const Precision precision_;
  MissingTokens missing_;
  std::vector<std::uint8_t> keep_;  // by row
  std::size_t target_ = 0;
  std::vector<std::size_t> features_;  // columns
  std::vector<std::uint8_t> one_hot_;  // by column: listed in `categorical`
  std::vector<Feature> matrix_;
  Vec targets_;  // by row
  Shape shape_;
  TableSchema schema_;
};

}  // namespace

Pool make_pool(const TabularSpec& spec, const Sheet& sheet, Precision precision) {
  return Loader(spec, sheet, precision).load();
}

}  // namespace coterie
