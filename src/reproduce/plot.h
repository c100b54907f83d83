// Figures as gnuplot draws them: a script that holds its own data, and from it an SVG and a PNG.
#pragma once

#include <string>
#include <vector>

#include "reproduce/experiment.h"
#include "reproduce/results.h"

namespace coterie {

struct PlotPoint {
  double x = 0;
  double y = 0;
  double deviation = 0;  // over seeds
};
struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // by rising x
};

// The line that a cell's point is on: {cell}, {line}, and {key} of the grid, or one of the config, stand for
// their values.
std::string series_name(const PlotSpec& plot, const PaperCell& cell);
// Cells over a key: one line for each value of the others. Results go with cells by place.
std::vector<PlotSeries> series_of_cells(const Experiment& experiment, const PlotSpec& plot,
                                        const std::vector<CellResult>& results);
// A figure by round, mean or median over the seeds' runs, as far as all of them go. `runs`: finished run
// folders of each cell, by place.
std::vector<PlotSeries> series_by_round(const Experiment& experiment, const PlotSpec& plot,
                                        const std::vector<std::vector<std::string>>& runs);

struct Panel {
  PlotSpec plot;
  std::vector<PlotSeries> series;
};

// Where each series begins, and the slope of the straight line through it, least squares: one line of text
// each. Where both axes are in powers, the p of y ~ x^p.
std::string fits_text(const Panel& panel);

// From where on each series stays within `share` of its whole way, from its first point to its last, of the
// last: one line of text each.
std::string settled_text(const Panel& panel, double share);

// The script, with the panels side by side; it writes <stem>.svg and <stem>.png into the folder it is run in.
std::string plot_script(const Experiment& experiment, const std::vector<Panel>& panels,
                        const std::string& stem);
// Writes <folder>/<id>.gp and lets gnuplot draw it. Returns what went wrong, "" when nothing did.
std::string draw_plot(const Experiment& experiment, const std::vector<Panel>& panels,
                      const std::string& folder);

}  // namespace coterie
