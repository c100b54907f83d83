#include "fleet/agreement.h"

#include "base/md5.h"
#include "base/option_readers.h"
#include "base/section_reader.h"

namespace coterie {
namespace {

// An agreement as options: numbers of the shape, and the features of a table as lists, a place for each.
struct Listed {
  std::string task = "classification";
  std::int64_t width = 1, classes = 0, height = 0, columns = 0, channels = 0;
  bool redealt = false, tabular = false;
  std::optional<double> rate, gradient_rate;
  std::optional<std::int64_t> folds, fold, cut_seed;
  std::optional<std::string> features;
  struct {
    std::string target;
    std::vector<std::string> classes, columns, values, kinds;
    std::vector<double> fills, means, deviations;
    double target_mean = 0, target_deviation = 1;
    std::string scaling = "clients", impute = "mean";
  } table;

  void options(Options& o) {
    o.choice("task", task, {"classification", "regression"}, "what is predicted");
    o("width", &width, "features of a sample", at_least(0));
    o("classes", &classes, "classes; 0 for a regression", at_least(0));
    o("height", &height, "of an image; 0 when samples are not images", at_least(0));
    o("columns", &columns, "of an image", at_least(0));
    o("channels", &channels, "of an image", at_least(0));
    o("redealt", &redealt, "whether clients get other samples from time to time");
    o("rate", &rate, "of local training, when it was found before the run", above(0));
    o("gradient_rate", &gradient_rate, "of one step on a client's gradient, where a method takes such steps",
      above(0));
    o("folds", &folds, "that clients cut their training rows into", between(2, kMostFolds));
    o("fold", &fold, "that is held out, from 0", between(0, kMostFolds - 1));
    o("cut_seed", &cut_seed, "of that cut");
    o("features", &features, "zeros: a model has nothing but its intercept to learn");
    o.require(folds.has_value() == fold.has_value() && folds.has_value() == cut_seed.has_value(), "folds",
              "goes with fold and cut_seed");
    o.require(!folds || !fold || *fold < *folds, "fold", "must be below folds");
    o.require(!features || (folds && *features == "zeros"), "features", "must be \"zeros\", with folds");
    o("tabular", &tabular, "whether samples come from a table");
    o.section("table", "how the columns of a table become features", [&](Options& t) {
      t("target", &table.target, "the column that is predicted");
      t("classes", &table.classes, "what its classes are called");
      t("target_mean", &table.target_mean, "subtracted from the target of a regression");
      t("target_deviation", &table.target_deviation, "what that is divided by");
      t.choice("scaling", table.scaling, {"clients", "each", "none"},
               "what fills, means and deviations come from: the training rows of all clients, of each client "
               "alone, "
               "or nothing");
      t.choice("impute", table.impute, {"mean", "zero", "drop-row"}, "what a missing number becomes");
      t("columns", &table.columns, "the column of each feature");
      t("kinds", &table.kinds, "of each feature: number or value");
      t("values", &table.values, "the value that a feature stands for");
      t("fills", &table.fills, "in place of a missing number");
      t("means", &table.means, "subtracted from a number");
      t("deviations", &table.deviations, "what that is divided by");
    });
    const std::size_t features = table.columns.size();
    for (std::size_t size : {table.kinds.size(), table.values.size(), table.fills.size(), table.means.size(),
                             table.deviations.size()}) {
      o.require(size == features, "table", "needs one entry in each list for each column");
    }
  }
};

}  // namespace

Agreement Agreement::of(const Roster& roster, bool redealt) {
  Agreement agreement{roster.shape(), redealt, std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  if (roster.table() != nullptr) agreement.table = *roster.table();
  return agreement;
}

std::string Agreement::text() const {
  Listed listed;
  listed.task = shape.task == Task::classification ? "classification" : "regression";
  listed.width = static_cast<std::int64_t>(shape.width);
  listed.classes = static_cast<std::int64_t>(shape.classes);
  listed.height = static_cast<std::int64_t>(shape.height);
  listed.columns = static_cast<std::int64_t>(shape.columns);
  listed.channels = static_cast<std::int64_t>(shape.channels);
  listed.redealt = redealt;
  listed.rate = rate;
  listed.gradient_rate = gradient_rate;
  if (cut) {
    listed.folds = cut->folds;
    listed.fold = cut->fold;
    listed.cut_seed = static_cast<std::int64_t>(cut->seed);
    if (cut->blank) listed.features = "zeros";
  }
  if (table) {
    listed.tabular = true;
    listed.table.target = table->target;
    listed.table.classes = table->classes;
    listed.table.target_mean = table->target_mean;
    listed.table.target_deviation = table->target_deviation;
    listed.table.scaling = table->scaling;
    listed.table.impute = table->impute;
    for (const TableSchema::Feature& feature : table->features) {
      listed.table.columns.push_back(feature.column);
      listed.table.kinds.push_back(feature.value ? "value" : "number");
      listed.table.values.push_back(feature.value.value_or(""));
      listed.table.fills.push_back(feature.fill);
      listed.table.means.push_back(feature.mean);
      listed.table.deviations.push_back(feature.deviation);
    }
  }
  const Value written = written_table([&](Options& o, Table&) { listed.options(o); });
  return write_toml(std::get<Table>(written.data));
}

Agreement Agreement::read(const std::string& text) {
  Problems problems;
  const Table table = parse_toml(text, "agreement.toml");
  OptionParser parser(table, "", {"agreement.toml", 0}, problems);
  Listed listed;
  listed.options(parser);
  parser.finish();
  problems.raise_if_any();
  Agreement agreement;
  agreement.shape = {listed.task == "classification" ? Task::classification : Task::regression,
                     static_cast<std::size_t>(listed.width),
                     static_cast<std::size_t>(listed.classes),
                     static_cast<std::size_t>(listed.height),
                     static_cast<std::size_t>(listed.columns),
                     static_cast<std::size_t>(listed.channels)};
  agreement.redealt = listed.redealt;
  agreement.rate = listed.rate;
  agreement.gradient_rate = listed.gradient_rate;
  if (listed.folds) {
    agreement.cut = {static_cast<std::uint32_t>(*listed.folds), static_cast<std::uint32_t>(*listed.fold),
                     static_cast<std::uint64_t>(*listed.cut_seed), listed.features.has_value()};
  }
  if (listed.tabular) {
    TableSchema& schema = agreement.table.emplace();
    schema.target = listed.table.target;
    schema.classes = listed.table.classes;
    schema.target_mean = listed.table.target_mean;
    schema.target_deviation = listed.table.target_deviation;
    schema.scaling = listed.table.scaling;
    schema.impute = listed.table.impute;
    for (std::size_t j = 0; j < listed.table.columns.size(); ++j) {
      TableSchema::Feature feature;
      feature.column = listed.table.columns[j];
      if (listed.table.kinds[j] == "value") feature.value = listed.table.values[j];
      feature.fill = listed.table.fills[j];
      feature.mean = listed.table.means[j];
      feature.deviation = listed.table.deviations[j];
      schema.features.push_back(std::move(feature));
    }
  }
  return agreement;
}

std::uint64_t run_name(const std::string& program, const std::string& agreement, std::uint64_t life) {
  const std::string lived = life == 0 ? "" : '\0' + std::to_string(life);
  return std::stoull(md5_of(program + '\0' + agreement + lived).substr(0, 16), nullptr, 16);
}

}  // namespace coterie
