// Any table as a federation: one row for each sample, a column to predict, and perhaps a column that says
// which client (hospital, station, user) a row belongs to. Comma-separated values with a line of column
// names, gzipped or not.
//
// Choose it for your own data. With a column `client`, each name in it is a client: [clients] partition is
// "natural" unless the config names another.
#include <algorithm>
#include <memory>
#include <string>

#include "coterie/source.h"
#include "data/files.h"
#include "data/formats/sheet.h"
#include "data/formats/tabular.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

class Csv : public Source {
 public:
  void options(Options& o) override {
    TabularSpec& s = spec_;
    o("file", &file_, "the table: inside the data folder, the current folder or that of the config");
    o("client", &s.client, "column that says which client a row belongs to");
    o("target", &s.target, "column to predict");
    o("truth", &s.truth,
      "column with the true cluster of each client, where it is known: for the metrics and methods that "
      "compare "
      "with it, never for training");
    o("split", &s.split,
      "column that says which part a row is in: train, validation (valid, val, dev) or test; default: a "
      "share of "
      "each client's rows, clients.parts");
    o("weight", &s.weight,
      "column with the weight of each row in its client's losses and gradients; clients count by their rows");
    o("group", &s.group,
      "column whose equal values stay in one part of a client's data: all rows of a patient, of a session");
    o("time", &s.time,
      "column of numbers, or of dates such as 2024-05-31, by which rows are ordered: a client's later rows "
      "test what was learned from its earlier ones");
    o.choice("task", s.goal.task, {"auto", "classification", "regression"},
             "auto: classes when the target is text or at most 20 different whole numbers");
    o("threshold", &s.goal.threshold, "makes two classes of a target of numbers: above it (1), or not (0)");
    o("drop", &s.drop, "columns to leave out");
    o("keep", &s.keep, "columns that are features though they look like identifiers");
    o("categorical", &s.categorical,
      "columns that become one feature for each value, besides those that are not mostly numbers");
    o("missing", &s.missing, "texts that stand for a missing value");
    o.choice(
        "impute", s.impute, {"mean", "zero", "drop-row"},
        "what a missing number becomes: its column's mean, 0, or a reason to leave the row out; a missing "
        "category becomes a category");
    o.choice(
        "standardise", s.standardise, {"clients", "each", "none", "all"},
        "bring columns of numbers to mean 0 and deviation 1: clients: over the training rows of all training "
        "clients, which they tell as counts, means and squared deviations; each: every client by its own "
        "training rows; none: numbers as they are; all: an old name of clients");
    o("standardise_target", &s.goal.standardise,
      "the same for the target of a regression, over all training clients; losses are in these units, "
      "figures are "
      "converted back where they say so");
    o("separator", &separator_, "the character between fields; \"\\t\" for a tab");
    o.choice("decimal", decimal_, {".", ","}, "what stands before the fraction of a number");
    s.pixels.options(o);

    o.require(!file_.empty(), "file", "is needed: the table to read");
    o.require(!s.target.empty(), "target", "is needed: the column to predict");
    const auto is_target = [&](const std::optional<std::string>& column) { return column == s.target; };
    o.require(!is_target(s.client), "client", "must be another column than the target");
    o.require(!is_target(s.truth), "truth", "must be another column than the target");
    o.require(!is_target(s.split), "split", "must be another column than the target");
    o.require(!is_target(s.weight), "weight", "must be another column than the target");
    o.require(!is_target(s.group), "group", "must be another column than the target");
    o.require(!is_target(s.time), "time", "must be another column than the target");
    o.require(!s.group || s.group != s.client, "group",
              "must be another column than client: no row of a client could be held out");
    o.require(std::find(s.drop.begin(), s.drop.end(), s.target) == s.drop.end(), "drop",
              "lists the target, which is needed");
    o.require(!s.truth || s.client, "truth", "needs client: it is the true cluster of each client");
    o.require(!s.split || (!s.group && !s.time), "split",
              "says which part each row is in, so group and time must be left out");
    o.require(!s.goal.threshold || s.goal.task != "regression", "threshold",
              "makes classes, so task cannot be \"regression\"");
    o.require(separator_.size() == 1 && separator_.find_first_of("\"\r\n") == std::string::npos, "separator",
              "must be one character, and no quote or line end");
  }

  void check_files(const SourceContext& context) const override { find_data(file_, context, ""); }

  bool names_owners() const override { return spec_.client.has_value(); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    Sheet sheet = Sheet::read(find_data(file_, context, ""), separator_[0]);
    if (decimal_ == ",") sheet.read_decimal_commas();
    return std::make_unique<PoolPopulation>(make_pool(spec_, sheet, context.floats));
  }

 private:
  std::string file_;
  std::string separator_ = ",";
  std::string decimal_ = ".";
  TabularSpec spec_;
};

const Registration<Source> kCsv{"csv", "a table from disk, with a column that names the client",
                                [] { return std::make_unique<Csv>(); }};

}  // namespace
}  // namespace coterie
