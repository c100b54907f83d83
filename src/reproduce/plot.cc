#include "reproduce/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/process.h"
#include "base/text.h"
#include "reproduce/measures.h"
#include "run/folder.h"

namespace coterie {
namespace {

// Told apart by people with any colour vision, on paper too.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#555555", "#000000"};
constexpr std::array<int, 8> kMarks = {7, 5, 9, 11, 13, 4, 6, 8};

bool is_shown(const PlotSpec& plot, const std::string& name) {
  return plot.only.empty() || std::find(plot.only.begin(), plot.only.end(), name) != plot.only.end();
}

PlotSeries& series_called(const std::string& name, std::vector<PlotSeries>& all) {
  auto same = std::find_if(all.begin(), all.end(), [&](const PlotSeries& s) { return s.name == name; });
  if (same == all.end()) same = all.insert(all.end(), {name, {}});
  return *same;
}

// A text between double quotes of a script.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

std::string series_name(const PlotSpec& plot, const PaperCell& cell) {
  std::string name = plot.series;
  auto put = [&](const std::string& what, const std::string& by) {
    if (std::size_t at = name.find(what); at != std::string::npos) name.replace(at, what.size(), by);
  };
  auto put_value = [&](const std::string& path, const Value& value) {
    const auto* text = std::get_if<std::string>(&value.data);
    put("{" + path + "}", text != nullptr ? *text : value.text());
  };
  put("{cell}", cell.name);
  put("{line}", cell.line);
  for (const auto& [path, value] : cell.point) put_value(path, value);
  if (const std::size_t begin = name.find('{'), end = name.find('}'); begin < end && end < name.size()) {
    const std::string path = name.substr(begin + 1, end - begin - 1);
    if (const Value* value = find_path(cell.config, path)) put_value(path, *value);
  }
  return name;
}

std::vector<PlotSeries> series_of_cells(const Experiment& experiment, const PlotSpec& plot,
                                        const std::vector<CellResult>& results) {
  std::vector<PlotSeries> all;
  for (std::size_t i = 0; i < experiment.cells.size(); ++i) {
    const PaperCell& cell = experiment.cells[i];
    SampleSpread ours = results[i].ours();
    if (ours.count == 0) continue;
    PlotPoint point{NAN, ours.mean, ours.deviation};
    const Value* across = find_path(cell.config, plot.x);
    for (const auto& [path, value] : cell.point) {
      if (path == plot.x) across = &value;
    }
    if (across != nullptr) point.x = number_of(*across);
    std::string name = series_name(plot, cell);
    if (name.empty() || !is_shown(plot, name)) continue;
    series_called(name, all).points.push_back(point);
    if (plot.paper.empty() || !cell.paper) continue;
    PlotSeries& paper = series_called(plot.paper, all);
    const bool there = std::any_of(paper.points.begin(), paper.points.end(),
                                   [&](const PlotPoint& p) { return p.x == point.x; });
    if (!there) paper.points.push_back({point.x, *cell.paper, 0});
  }
  for (PlotSeries& one : all) {
    std::sort(one.points.begin(), one.points.end(),
              [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  }
  return all;
}

std::vector<PlotSeries> series_by_round(const Experiment& experiment, const PlotSpec& plot,
                                        const std::vector<std::vector<std::string>>& runs) {
  std::vector<PlotSeries> all;
  for (std::size_t i = 0; i < experiment.cells.size(); ++i) {
    const PaperCell& cell = experiment.cells[i];
    if (!is_shown(plot, cell.name)) continue;
    std::map<double, std::vector<double>> by_round;
    double shortest = std::numeric_limits<double>::infinity();  // the last round of the run that ends first
    for (const std::string& folder : runs[i]) {
      const Curve curve = curve_of(folder, plot.figure, plot.start);
      if (!curve.empty()) shortest = std::min(shortest, curve.back().first);
      for (const auto& [round, value] : curve) by_round[round].push_back(plot.plus + plot.times * value);
    }
    // Beyond it a line would be that of a few seeds, and jump.
    by_round.erase(by_round.upper_bound(shortest), by_round.end());
    if (by_round.empty()) continue;
    PlotSeries series{series_name(plot, cell), {}};
    for (const auto& [round, values] : by_round) {
      SampleSpread spread = spread_of(values);
      if (plot.median) spread = {median_of(values), 0, values.size()};
      series.points.push_back({round, spread.mean, spread.deviation});
    }
    all.push_back(std::move(series));
  }
  // A method of one round is a level line beside the others.
  double last = 0;
  for (const PlotSeries& one : all) last = std::max(last, one.points.empty() ? 0 : one.points.back().x);
  for (PlotSeries& one : all) {
    if (one.points.size() == 1 && one.points[0].x < last) {
      one.points.push_back({last, one.points[0].y, one.points[0].deviation});
    }
  }
  return all;
}

namespace {

// One panel: its axes, and its lines, whose data are $line<first>, $line<first + 1> ...
std::string panel_script(const Panel& panel, const std::string& title, std::size_t first) {
  const PlotSpec& plot = panel.plot;
  const bool by_round = plot.kind == "rounds";
  std::string text = "set title " + quoted(title) + " noenhanced\n";
  text += "set xlabel " + quoted(plot.x_label) + " noenhanced\nset ylabel " + quoted(plot.y_label) +
          " noenhanced\n";
  // Rounds fill the width; points keep clear of the axes.
  text += by_round ? "set autoscale xfixmax\nunset offsets\n"
                   : "set autoscale xfix\nset offsets graph 0.04, graph 0.04, graph 0.04, graph 0.02\n";
  text += plot.log_x ? "set logscale x\n" : "unset logscale x\n";
  text +=
      plot.log_y ? "set logscale y\nset format y \"10^{%L}\"\n" : "unset logscale y\nset format y \"%g\"\n";
  auto end = [](const std::optional<double>& at) { return at ? fmt::format("{:g}", *at) : std::string("*"); };
  text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", by_round ? "0" : "*", end(plot.x_most),
                      end(plot.y_least), end(plot.y_most));
  std::vector<std::string> bands;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const PlotSeries& series = panel.series[i];
    const char* colour = kColours[i % kColours.size()];
    bool band = by_round && std::any_of(series.points.begin(), series.points.end(),
                                        [](const PlotPoint& p) { return p.deviation > 0; });
    if (band) {
      bands.push_back(
          fmt::format("$line{} using 1:($2-$3):($2+$3) with filledcurves fs transparent solid 0.15 noborder "
                      "lc rgb \"{}\" notitle",
                      first + i, colour));
    }
    const std::size_t dash = 1 + i / kColours.size();  // a colour that comes again is dashed
    const bool paper = !plot.paper.empty() && series.name == plot.paper;
    std::string style = by_round ? fmt::format("lines lw 2 dt {} lc rgb \"{}\"", dash, colour)
                                 : fmt::format("linespoints lw 2 pt {} ps 0.9 lc rgb \"{}\"",
                                               kMarks[i % kMarks.size()], colour);
    if (paper) style = "lines lw 2 dt 2 lc rgb \"#000000\"";
    lines.push_back(fmt::format("$line{} using 1:2 with {} title {}", first + i, style, quoted(series.name)));
  }
  bands.insert(bands.end(), lines.begin(), lines.end());  // lines over bands
  return text + "plot " + join(bands, ", \\\n  ") + "\n";
}

// The slope of the straight line through (x, y), by least squares; nothing where there is but one x.
std::optional<double> slope_of(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [across, up] : points) {
    n += 1;
    x += across;
    y += up;
    xx += across * across;
    xy += across * up;
  }
  const double spread = n * xx - x * x;
  if (!(spread > 0)) return std::nullopt;
  return (n * xy - x * y) / spread;
}

// How a series grows from its first point on: the p of y - y_0 ~ (x - x_0)^p.
std::string growth_text(const std::vector<PlotPoint>& points) {
  std::vector<std::pair<double, double>> logarithms;
  for (const PlotPoint& point : points) {
    const double across = std::log(point.x - points[0].x), up = std::log(point.y - points[0].y);
    if (std::isfinite(across) && std::isfinite(up)) logarithms.emplace_back(across, up);
  }
  const std::optional<double> power = slope_of(logarithms);
  return power ? fmt::format("; it grows like the power {:.2g}", *power) : "";
}

}  // namespace

std::string fits_text(const Panel& panel) {
  std::string text;
  for (const PlotSeries& series : panel.series) {
    std::vector<std::pair<double, double>> points;
    for (const PlotPoint& point : series.points) points.emplace_back(point.x, point.y);
    if (panel.plot.log_x && panel.plot.log_y) {
      for (auto& [x, y] : points) x = std::log(x), y = std::log(y);
      if (const std::optional<double> power = slope_of(points)) {
        text += fmt::format(
            "{}: {:.4g} at {:g}, {:.4g} at {:g}: the power {:.3g} (least squares of logarithms)\n",
            series.name, series.points.front().y, series.points.front().x, series.points.back().y,
            series.points.back().x, *power);
      }
      continue;
    }
    const std::optional<double> slope = slope_of(points);
    if (!slope) continue;
    text += fmt::format("{}: {:.4g} at {:g}, slope {:.4g} from there to {:g} (least squares){}\n",
                        series.name, series.points.front().y, series.points.front().x, *slope,
                        series.points.back().x, growth_text(series.points));
  }
  return text;
}

std::string settled_text(const Panel& panel, double share) {
  std::string text;
  for (const PlotSeries& series : panel.series) {
    const std::vector<PlotPoint>& points = series.points;
    if (points.empty()) continue;
    const double end = points.back().y, near = share * std::abs(points.front().y - end);
    std::size_t from = points.size() - 1;
    while (from > 0 && std::abs(points[from - 1].y - end) <= near) --from;
    text += fmt::format("{}: {:.4g} at {:g}, {:.4g} at {:g}; {:g} % of the way are done at {:g}\n",
                        series.name, points.front().y, points.front().x, end, points.back().x,
                        100 * (1 - share), points[from].x);
  }
  return text;
}

std::string plot_script(const Experiment& experiment, const std::vector<Panel>& panels,
                        const std::string& stem) {
  std::string text =
      fmt::format("# {}: {}. Draw it with: gnuplot {}.gp\n", experiment.id, experiment.title, stem);
  std::size_t line = 0;
  std::string drawn;
  for (const Panel& panel : panels) {
    drawn += panel_script(panel, panels.size() == 1 ? experiment.title : panel.plot.title, line);
    for (const PlotSeries& series : panel.series) {
      text += fmt::format("$line{} << END\n", line++);
      for (const PlotPoint& p : series.points)
        text += fmt::format("{:.10g} {:.10g} {:.10g}\n", p.x, p.y, p.deviation);
      text += "END\n";
    }
  }
  text += "set encoding utf8\n";
  text += "set border 3 lc rgb \"#777777\"\nset tics nomirror scale 0.5 textcolor rgb \"#333333\"\n";
  text += "set grid ytics lc rgb \"#dddddd\" lw 1 lt 1\n";
  // Two panels leave no room beside them.
  const bool several = panels.size() > 1;
  text += fmt::format("set key {} Left reverse samplen 2 spacing 1.2 noenhanced\n",
                      several ? "below center horizontal height 1" : "outside right top");
  auto draw = [&](const std::string& terminal, const std::string& file) {
    text += "set terminal " + terminal + "\nset output " + quoted(file) + "\n";
    if (several) {
      text += fmt::format("set multiplot layout 1,{} title {} noenhanced\n", panels.size(),
                          quoted(experiment.title));
    }
    text += drawn;
    if (several) text += "unset multiplot\n";
  };
  const std::size_t width = several ? 560 * panels.size() : 720;
  draw(fmt::format("svg size {},{} dynamic font \"sans,13\" background rgb \"white\"", width,
                   several ? 480 : 420),
       stem + ".svg");
  draw(fmt::format("pngcairo size {},{} font \"sans,14\" background rgb \"white\"", width * 3 / 2,
                   several ? 720 : 630),
       stem + ".png");
  return text + "set output\n";
}

std::string draw_plot(const Experiment& experiment, const std::vector<Panel>& panels,
                      const std::string& folder) {
  if (panels.empty()) return "no run gave anything to draw";
  write_atomically(folder + "/" + experiment.id + ".gp", plot_script(experiment, panels, experiment.id));
  ProgramResult result = run_program({"gnuplot", experiment.id + ".gp"}, folder);
  if (!result.found) {
    return "gnuplot is not installed (Debian package gnuplot-nox): " + folder + "/" + experiment.id +
           ".gp is written, and draws the figure where gnuplot is";
  }
  return result.good() ? "" : "gnuplot failed: " + result.reason();
}

}  // namespace coterie
