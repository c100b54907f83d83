// Any table as a federation: one row for each sample, a column to predict, and perhaps a column that says
// which client (hospital, station, user) a row belongs to. Comma-separated values with a line of column
// names, gzipped or not.
//
// Choose it for your own data. With a column `client`, each name in it is a client: [clients] partition is
// "natural" unless the config names another.
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
    o.choice("task", s.task, {"auto", "classification", "regression"},
             "auto: classes when the target is text or at most 20 different whole numbers");
    o("threshold", &s.threshold, "makes two classes of a target of numbers: above it (1), or not (0)");
    o("drop", &s.drop, "columns to leave out");
    o("categorical", &s.categorical,
      "columns that become one feature for each value; unless given, those that are not mostly numbers");
    o("missing", &s.missing, "texts that stand for a missing value");
    o.choice(
        "impute", s.impute, {"mean", "zero", "drop-row"},
        "what a missing number becomes: its column's mean, 0, or a reason to leave the row out; a missing "
        "category becomes a category");
    o.choice("standardise", s.standardise, {"all", "none"},
             "bring columns of numbers to mean 0 and deviation 1 over the whole file");
    o("standardise_target", &s.standardise_target, "the same for the target of a regression");
    o("separator", &separator_, "the character between fields; \"\\t\" for a tab");

    o.require(!file_.empty(), "file", "is needed: the table to read");
    o.require(!s.target.empty(), "target", "is needed: the column to predict");
    o.require(!s.threshold || s.task != "regression", "threshold",
              "makes classes, so task cannot be \"regression\"");
    o.require(!s.standardise_target || s.task == "regression", "standardise_target",
              "needs task = \"regression\"");
    o.require(separator_.size() == 1 && separator_.find_first_of("\"\r\n") == std::string::npos, "separator",
              "must be one character, and no quote or line end");
  }

  void check_files(const SourceContext& context) const override { find_data(file_, context, ""); }

  bool names_owners() const override { return spec_.client.has_value(); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const Sheet sheet = Sheet::read(find_data(file_, context, ""), separator_[0]);
    return std::make_unique<PoolPopulation>(
        make_pool(spec_, sheet, context.floats ? Precision::f32 : Precision::f64));
  }

 private:
  std::string file_;
  std::string separator_ = ",";
  TabularSpec spec_;
};

const Registration<Source> kCsv{"csv", "a table from disk, with a column that names the client",
                                [] { return std::make_unique<Csv>(); }};

}  // namespace
}  // namespace coterie
