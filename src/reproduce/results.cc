#include "reproduce/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace coterie {
namespace {

constexpr std::size_t kWidth = 100;  // of running text

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string number_field(double value) { return std::isfinite(value) ? fmt::format("{:.10g}", value) : ""; }

// With so many digits after the point; small numbers, of which that would leave nothing, in powers of ten.
std::string shown(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const bool small = value != 0 && std::fabs(value) < 5 * std::pow(10, -digits);
  return small ? fmt::format("{:.2e}", value) : fmt::format("{:.{}f}", value, digits);
}

// Behind the point, the same for a whole table: 94.20 beside 0.53, or 0.950 beside 0.025.
int digits_of(const std::vector<CellResult>& cells) {
  double largest = 0;
  for (const CellResult& cell : cells) {
    largest = std::fmax(largest, std::fmax(std::abs(cell.ours().mean), std::abs(cell.paper.value_or(0))));
  }
  return largest > 1 ? 2 : 3;
}

// Words after `label`, broken into lines that are indented below it.
std::string paragraph(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  std::string out;
  std::string line = label;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = " ";
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

// What cells have there, each once, in the order in which it comes.
std::vector<std::string> once(const std::vector<PaperCell>& cells, std::string PaperCell::*of) {
  std::vector<std::string> all;
  for (const PaperCell& cell : cells) {
    if (std::find(all.begin(), all.end(), cell.*of) == all.end()) all.push_back(cell.*of);
  }
  return all;
}

TextTable listed(const std::vector<CellResult>& cells) {
  TextTable table;
  table.column("cell");
  table.column("paper", Align::right);
  const bool code = std::any_of(cells.begin(), cells.end(), [](const CellResult& cell) { return cell.code; });
  if (code) table.column("its code", Align::right);
  table.column("ours", Align::right);
  table.column("±", Align::right);
  table.column("difference", Align::right);
  table.column("seeds", Align::right);
  const bool worst =
      std::any_of(cells.begin(), cells.end(), [](const CellResult& cell) { return !cell.at.empty(); });
  if (worst) table.column("worst of");
  int digits = digits_of(cells);
  for (const CellResult& cell : cells) {
    SampleSpread ours = cell.ours();
    // A mean over some of the seeds is not what the paper has: a seed that never got there would improve it.
    const bool whole = ours.count == cell.values.size();
    double difference = cell.paper && whole ? ours.mean - *cell.paper : NAN;
    std::string sign = difference > 0 ? "+" : "";
    const std::string deviation = ours.count > 1 ? shown(ours.deviation, digits) : "–";
    const std::string seeds =
        whole ? std::to_string(ours.count) : fmt::format("{} of {}", ours.count, cell.values.size());
    std::vector<Cell> row = {cell.name, shown(cell.paper.value_or(NAN), digits), shown(ours.mean, digits),
                             deviation, sign + shown(difference, digits),        seeds};
    if (code) row.insert(row.begin() + 2, shown(cell.code.value_or(NAN), digits));
    if (worst) row.push_back(cell.at.empty() ? "" : fmt::format("{}: {}", cell.variants.size(), cell.at));
    table.row(std::move(row));
  }
  return table;
}

// The value of "scale = 0.5", or all of it where it has several.
std::string short_place(const std::string& at) {
  const std::size_t equals = at.find(" = ");
  return equals == std::string::npos || at.find(',') != std::string::npos ? at : at.substr(equals + 3);
}

// A row for each cell of the file, and a column for each value of the grid's key.
TextTable crossed(const Experiment& experiment, const std::vector<CellResult>& cells) {
  const std::vector<std::string> columns = once(experiment.cells, &PaperCell::column);
  std::map<std::pair<std::string, std::string>, std::string> texts;  // by row and column
  const int digits = digits_of(cells);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const PaperCell& cell = experiment.cells[c];
    std::string& text = texts[{cell.row, cell.column}];
    text = shown(cells[c].ours().mean, digits);
    if (!cells[c].at.empty()) text += " (" + short_place(cells[c].at) + ")";
  }
  TextTable table;
  table.column("");
  for (const std::string& column : columns) table.column(column, Align::right);
  for (const std::string& row : once(experiment.cells, &PaperCell::row)) {
    std::vector<Cell> line = {row};
    for (const std::string& column : columns) {
      const auto text = texts.find({row, column});  // --only may have left it out
      line.push_back(text == texts.end() ? "–" : text->second);
    }
    table.row(std::move(line));
  }
  return table;
}

struct Loss {
  double points;
  std::string where;
};
bool less(const Loss& a, const Loss& b) { return a.points < b.points; }
std::string told(const Loss& loss) { return fmt::format("{:.1f} ({})", loss.points, loss.where); }

// What each column loses at most against the cells that its own are held against, and what the best column of
// each row does; larger figures are better. Cells without a figure do not count, but are named. Nothing where
// no cell is held against another.
std::string losses_text(const Experiment& experiment, const std::vector<CellResult>& cells) {
  std::map<std::string, double> figures;
  for (const CellResult& cell : cells) figures[cell.name] = cell.ours().mean;
  std::map<std::string, std::vector<Loss>> by_column, by_row;
  std::vector<std::string> unknown;
  for (const PaperCell& cell : experiment.cells) {
    const auto reference = figures.find(cell.against);
    if (reference == figures.end()) continue;  // left out by --only, or held against none
    const double loss = reference->second - figures.at(cell.name);
    if (std::isnan(loss)) {
      unknown.push_back(cell.name);
      continue;
    }
    by_column[cell.column].push_back({loss, cell.row});
    by_row[cell.row].push_back({loss, cell.column});
  }
  std::vector<Loss> columns, rows;
  for (const auto& [column, all] : by_column) {
    const Loss& worst = *std::max_element(all.begin(), all.end(), less);
    columns.push_back({worst.points, column + " " + told(worst)});
  }
  for (const auto& [row, all] : by_row) {
    const Loss& best = *std::min_element(all.begin(), all.end(), less);
    rows.push_back({best.points, row + ", by " + best.where});
  }
  std::stable_sort(columns.begin(), columns.end(), less);
  std::vector<std::string> texts;
  for (const Loss& column : columns) texts.push_back(column.where);
  std::string text = paragraph("Each loses at most, in the rows above:", join(texts, "; "));
  if (!rows.empty()) {
    text += paragraph("The best of each row loses at most",
                      told(*std::max_element(rows.begin(), rows.end(), less)));
  }
  return text + paragraph("Without a figure, and not counted:", join(unknown, "; "));
}

}  // namespace

SampleSpread CellResult::ours() const {
  SampleSpread spread = spread_of(values);
  if (median) spread.mean = median_of(values);
  return spread;
}

std::size_t CellResult::take_worst(bool highest) {
  std::size_t worst = 0;
  double figure = NAN;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    values = variants[v].values;
    const double mean = ours().mean;
    if (std::isnan(mean) || (highest ? mean <= figure : mean >= figure)) continue;
    figure = mean;
    worst = v;
  }
  values = variants[worst].values;
  at = variants[worst].at;
  return worst;
}

std::string results_csv(const std::vector<CellResult>& cells, Scale scale) {
  std::string text = "cell,paper,ours,std,seeds,scale\n";
  auto line = [&](const std::string& name, const CellResult& cell) {
    SampleSpread ours = cell.ours();
    text += fmt::format("{},{},{},{},{},{}\n", field(name), number_field(cell.paper.value_or(NAN)),
                        number_field(ours.mean), ours.count == 0 ? "" : number_field(ours.deviation),
                        ours.count, scale_name(scale));
  };
  for (const CellResult& cell : cells) {
    line(cell.name, cell);
    for (const VariantResult& one : cell.variants) {
      CellResult alone = cell;
      alone.values = one.values;
      line(cell.name + " (" + one.at + ")", alone);
    }
  }
  return text;
}

std::string results_text(const Experiment& experiment, const std::vector<CellResult>& cells, Marks marks) {
  const TextTable table = experiment.across.empty() ? listed(cells) : crossed(experiment, cells);
  std::string text = experiment.id + ": " + experiment.title + "\n";
  text += paragraph("", experiment.source);
  text += paragraph("", experiment.setup) + "\n";
  text += table.text(marks) + losses_text(experiment, cells) + "\n";
  text += paragraph("Scaled down:", experiment.scaled_down.empty() ? "nothing" : experiment.scaled_down);
  text += paragraph("Differs from the paper:", experiment.differs);
  return text;
}

}  // namespace coterie
