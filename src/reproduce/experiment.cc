#include "reproduce/experiment.h"

#include <cctype>
#include <cmath>

namespace coterie {

const char* scale_name(Scale scale) { return scale == Scale::quick ? "quick" : "paper"; }

std::vector<Settings> product(const Axes& axes) {
  std::vector<Settings> points{{}};
  for (const auto& [path, values] : axes) {
    std::vector<Settings> more;
    for (const Settings& point : points) {
      for (const Value& value : values) {
        more.push_back(point);
        more.back().emplace_back(path, value);
      }
    }
    points = std::move(more);
  }
  return points;
}

std::string folder_name_of(const std::string& name) {
  std::string out;
  for (char c : name) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    if (plain) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

void Measure::options(Options& o) {
  o("figure", &figure, "figure of the last round in rounds.jsonl, or a path in summary.json");
  o("times", &times, "factor on the figure: 100 for percent");
  o("plus", &plus, "added after that: 100 with times = -100 makes errors of accuracies");
  o("reach", &reach, "report the first round at which the figure is at least this");
  o("low_as", &low_as,
    "report the first round at which the figure is at most the last one of this run, that of an earlier "
    "cell");
  o("never", &never, "what is reported when that round does not come; default: nothing");
  o("start", &start, "the rounds of the start, of all its trials, count too");
  o("round", &round, "report the figure of this round, or of the last one evaluated before it", at_least(1));
  o("within", &within, "report whether the last figure is at most this many times that of low_as: 1 or 0",
    above(0));
  o("client", &client, "report this client's figure at the end: loss, accuracy or cluster", at_least(0));
  o("covered_by", &covered_by,
    "report whether the clients that events of this kind name are of every true cluster: 1 or 0");
  o("best", &best, "report the largest figure of all evaluated rounds");
  o("average", &average, "report the mean of the figure over all evaluated rounds");
  o("median", &median, "over seeds, in place of the mean");
  o.require(!start || reach, "start", "needs reach, the figure that is waited for");
  o.require(!within || !low_as.empty(), "within", "needs low_as, the run to compare with");
}

void PlotSpec::options(Options& o) {
  o.choice("kind", kind, {"cells", "rounds"}, "cells over a key, or a figure by round");
  o("x", &x, "the key along the x axis: of the grid, or one for which all configs give a number");
  o("figure", &figure, "the figure by round");
  o("only", &only, "names of the cells, or with kind = \"cells\" of the lines, that are shown; default: all");
  o("paper", &paper, "name of a line through the paper's numbers of the cells that are shown; default: none");
  o("x_label", &x_label, "text under the x axis");
  o("y_label", &y_label, "text beside the y axis");
  o("series", &series,
    "name of a line; {cell} is the cell's name, {line} what the cell says, {key} the value of a grid's key");
  o("times", &times, "factor on the figure by round");
  o("plus", &plus, "added to it after that");
  o("start", &start, "rounds of the start come first, and the others after them");
  o("median", &median, "the median over seeds, without a band");
  o("title", &title, "text above the panel");
  o("fit", &fit, "print where each series of cells begins, and the slope of the straight line through it");
  o("settled", &settled,
    "print from where on each series of cells stays as near to its end as this share of its whole way",
    share());
  o("log_x", &log_x, "x axis in powers");
  o("log_y", &log_y, "y axis in powers");
  o("x_most", &x_most, "where the x axis ends");
  o("y_least", &y_least, "where the y axis starts");
  o("y_most", &y_most, "where the y axis ends");
}

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value.data);
  return number != nullptr ? *number : std::nan("");
}

double with_multiples(double base, const Factors& factors, const Table& config) {
  double sum = base;
  for (const auto& [path, factor] : factors) {
    const Value* value = find_path(config, path);
    check(value != nullptr, "a factor without its value");
    sum += factor * number_of(*value);
  }
  return sum;
}

}  // namespace coterie
