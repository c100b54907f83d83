#include "report/compare_export.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/disk.h"
#include "base/text.h"
#include "report/number_text.h"
#include "report/run_charts.h"

namespace coterie {
namespace {

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

std::string comparison_csv(const std::vector<RunRecord>& runs, const Comparison& comparison) {
  std::string text;
  for (const std::string& key : comparison.groups.keys) text += csv_field(key) + ",";
  text += "runs,diverged";
  const std::vector<ComparedFigure> figures = compared_figures(runs);
  for (const ComparedFigure& figure : figures) text += fmt::format(",{0}_mean,{0}_sd", figure.name);
  text += "\n";
  for (const RunGroup& group : comparison.groups.groups) {
    for (const std::string& value : group.values) text += csv_field(value) + ",";
    std::size_t diverged = 0;
    for (const std::size_t i : group.runs) diverged += runs[i].summary.diverged() ? 1 : 0;
    text += fmt::format("{},{}", group.runs.size(), diverged);
    for (const ComparedFigure& figure : figures) {
      std::vector<double> values;
      for (const std::size_t i : group.runs) values.push_back(runs[i].summary.*figure.value);
      const SampleSpread spread = spread_of(values);
      text += "," + csv_number(spread.mean) + "," + (spread.count > 1 ? csv_number(spread.deviation) : "");
    }
    text += "\n";
  }
  return text;
}

std::string escape_latex(const std::string& text) {
  static const std::map<std::string, std::string> kSaid = {{"\\", "\\textbackslash{}"},
                                                           {"{", "\\{"},
                                                           {"}", "\\}"},
                                                           {"$", "\\$"},
                                                           {"&", "\\&"},
                                                           {"%", "\\%"},
                                                           {"#", "\\#"},
                                                           {"_", "\\_"},
                                                           {"~", "\\textasciitilde{}"},
                                                           {"^", "\\textasciicircum{}"},
                                                           {"<", "\\textless{}"},
                                                           {">", "\\textgreater{}"},
                                                           {"±", "$\\pm$"},
                                                           {"–", "--"},
                                                           {"²", "$^2$"},
                                                           {"\n", " "},
                                                           {"…", "\\dots{}"},
                                                           {"[", "{[}"},
                                                           {"]", "{]}"}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    while (i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80)
      ++length;
    const std::string letter = text.substr(i, length);
    const auto it = kSaid.find(letter);
    out += it == kSaid.end() ? letter : it->second;
    i += length;
  }
  return out;
}

std::string comparison_latex(const Comparison& comparison) {
  const TextTable& table = comparison.table;
  std::string text = "% needs \\usepackage{booktabs}\n\\begin{tabular}{@{}";
  for (const TextTable::Column& column : table.columns) text += column.align == Align::right ? 'r' : 'l';
  text += "@{}}\n\\toprule\n";
  const auto line = [&](auto cell) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c > 0 ? " & " : "") + cell(c);
    text += " \\\\\n";
  };
  line([&](std::size_t c) { return escape_latex(table.columns[c].header); });
  text += "\\midrule\n";
  for (const auto& row : table.rows) {
    line([&](std::size_t c) {
      const std::string cell = escape_latex(row[c].text);
      return row[c].strong ? "\\textbf{" + cell + "}" : cell;
    });
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::vector<std::string> write_charts(const std::vector<RunRecord>& runs, const Comparison& comparison,
                                      const std::string& folder) {
  std::vector<std::string> files;
  make_folders(folder);
  for (const NamedChart& chart : comparison_charts(runs, comparison.groups)) {
    files.push_back(folder + "/" + chart.stem + ".svg");
    write_atomically(files.back(), chart_file(chart.curves, chart.frame));
  }
  return files;
}

}  // namespace coterie
