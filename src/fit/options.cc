#include "fit/options.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/option_readers.h"
#include "base/text.h"
#include "coterie/algorithm.h"
#include "coterie/model.h"
#include "coterie/registry.h"
#include "data/row_cut.h"

namespace coterie {
namespace {

constexpr std::size_t kMostGroups = 50;

std::optional<std::size_t> whole_number(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Nothing when it is not of this form.
std::optional<std::vector<std::size_t>> numbers_in(const std::string& text) {
  std::set<std::size_t> numbers;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    const auto low = whole_number(trim(part.substr(0, dots)));
    const auto high = dots == std::string::npos ? low : whole_number(trim(part.substr(dots + 2)));
    if (!low || !high || *low < 2 || *high < *low || *high > kMostGroups) return std::nullopt;
    for (std::size_t k = *low; k <= *high; ++k) numbers.insert(k);
  }
  return std::vector<std::size_t>(numbers.begin(), numbers.end());
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = Registry<Model>::instance().names();
  if (std::find(names.begin(), names.end(), "auto") == names.end()) names.insert(names.begin(), "auto");
  return names;
}

}  // namespace

void FitOptions::options(Options& o) {
  o("methods", &methods, "methods to try besides the fixed candidates, by their names");
  o("clusters", &clusters, "numbers of groups to try: \"2..6\", \"3\" or \"2,4\"");
  o.choice("model", model, model_names(),
           "the model of every candidate; auto: linear or softmax, and mlp too where rows allow");
  o("describe", &describe,
    "columns that describe clients, each with one value a client: compared with the groups, no features");
  o("minutes", &minutes, "start no further candidate after so many minutes; 0: no limit", at_least(0));
  o("folds", &folds, "held-out folds of every client's training rows; 0: by the number of rows",
    between(0, kMostFolds));
  o.require(folds != 1, "folds", "must be 0, or at least 2");
  o.require(numbers_in(clusters).has_value(), "clusters",
            "must be numbers from 2 to " + std::to_string(kMostGroups) + ": \"2..6\", \"3\" or \"2,4\"");
  for (const std::string& name : methods) {
    const std::vector<std::string> known = Registry<Algorithm>::instance().names();
    const bool there = std::find(known.begin(), known.end(), name) != known.end();
    o.require(there, "methods", there ? "" : "method " + unknown_name(name, known));
  }
}

std::vector<std::size_t> FitOptions::counts() const {
  return numbers_in(clusters).value_or(std::vector<std::size_t>{});
}

FitOptions read_fit_options(const Table& config, const std::string& file, bool elsewhere,
                            Problems& problems) {
  static const Table kEmpty;
  FitOptions options;
  const Value* value = config.find("fit");
  if (value != nullptr && !value->is_table()) problems.add(value->where, "fit must be a table: [fit]");
  const bool given = value != nullptr && value->is_table();
  OptionParser parser(given ? std::get<Table>(value->data) : kEmpty, "fit",
                      given ? value->where : Where{file, 0}, problems);
  options.options(parser);
  parser.finish();
  for (const char* section : {"algorithm", "clusters", "sweep", "tiers", "attack", "shift", "unseen"}) {
    if (const Value* decided = config.find(section)) {
      problems.add(decided->where, std::string("[") + section +
                                       "] does not go with [fit], which tries methods and numbers of "
                                       "clusters itself: leave it out");
    }
  }
  if (const Value* model = config.find("model")) {
    problems.add(model->where, "[model] does not go with [fit]: set fit.model");
  }
  if (elsewhere) return options;  // each client is one, and the source is checked when they join
  const Value* source = find_path(config, "data.source");
  const bool table = source != nullptr && std::holds_alternative<std::string>(source->data) &&
                     std::get<std::string>(source->data) == "csv";
  if (!table) problems.add({file, 0}, "[fit] needs a table: data.source = \"csv\"");
  if (find_path(config, "data.client") == nullptr) {
    problems.add({file, 0}, "[fit] needs data.client: the column that says which client a row belongs to");
  }
  return options;
}

}  // namespace coterie
