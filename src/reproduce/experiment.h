// One table or figure of a paper, as its experiment.toml says it (docs/reproduce.md lists the keys).
//
// The file describes the paper's own scale; [quick] says what a quick look changes. Cells are the entries of
// the table or the points of the figure: each is a config with some values set, and a figure of its runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value.h"
#include "coterie/error.h"
#include "coterie/options.h"
#include "reproduce/papers.h"

namespace coterie {

enum class Scale { quick, paper };
const char* scale_name(Scale scale);

// Values for config keys, by dotted path.
using Settings = std::vector<std::pair<std::string, Value>>;
// Lists of values to take the product of, the last one fastest.
using Axes = std::vector<std::pair<std::string, Array>>;
std::vector<Settings> product(const Axes& axes);

// A number of a config; NaN where it is none.
double number_of(const Value& value);

// Keys of a config, each with a factor for its value.
using Factors = std::vector<std::pair<std::string, double>>;
// base + sum over keys of factor * (value of the config's key)
double with_multiples(double base, const Factors& factors, const Table& config);

// What a cell reports of a run.
struct Measure {
  std::string figure = "accuracy";    // of the last round in rounds.jsonl, or a path in summary.json
  double times = 1;                   // 100 for percent
  double plus = 0;                    // added after that: 100 with times = -100 turns accuracy into error
  std::optional<double> reach;        // report the first round at which the figure is at least this
  std::string low_as;                 // or at most the last figure of this other run, of the same seed
  std::optional<double> never;        // reported when that round does not come; default: nothing
  bool start = false;                 // the rounds of the start count too in `reach`
  std::optional<std::int64_t> round;  // report the figure of this round, or the last one evaluated before it
  bool best = false;                  // report the largest figure of all evaluated rounds
  bool average = false;               // report the mean of them
  // Report 1 when the last figure is at most this many times that of the run `low_as`, else 0.
  std::optional<double> within;
  // Report 1 when clients of every true cluster are named by events of this kind, else 0.
  std::string covered_by;
  std::optional<std::int64_t> client;  // report this client's figure (loss, accuracy, cluster) at the end
  bool median = false;                 // over seeds, in place of the mean

  void options(Options& o);
};

// One of several settings of a cell, of which the worst is told.
struct CellVariant {
  std::string at;  // "scale = 0.5"
  std::string run;
  Table config;
};

struct PaperCell {
  std::string name;
  std::string run;          // folder of its runs; cells with the same one share them
  std::string line;         // of the plot, where lines are called by this
  std::string row, column;  // where values of a key are columns: its name without the key, and the value
  std::string against;      // the name of a cell: what is lost against that one is told
  Measure measure;
  std::optional<double> paper;  // the paper's number
  std::optional<double> code;   // what the authors' public code gives, where that is known
  Settings point;               // its place in the grid
  Table config;                 // of its runs, less the seed
  std::string config_file;      // how errors name it
  // Where not empty, these are run instead, and the cell tells of the one whose figure is the lowest, or the
  // highest.
  std::vector<CellVariant> variants;
  bool highest = false;
};

// A cell that counts successes. A trial is one data seed; it succeeds when some attempt brings the figure
// below
//   below + multiples below_times of the config's values
// and is over with the first success.
struct Trial {
  std::string figure = "parameter_error";
  double below = 0;
  Factors below_times;
  Axes attempts;

  double threshold(const Table& config) const { return with_multiples(below, below_times, config); }
};

struct PlotSpec {
  std::string kind = "cells";     // "cells": their values over a grid's key; "rounds": a figure by round
  std::string x;                  // "cells": a key of the grid or of the configs
  std::string figure;             // "rounds": the figure
  std::vector<std::string> only;  // names of the cells ("rounds") or lines ("cells") shown; empty: all
  std::string paper;              // "cells": name of a line through the paper's numbers; "": none
  std::string x_label;
  std::string y_label;
  std::string series = "{cell}";  // name of a line; {key} stands for a grid's value
  double times = 1;
  double plus = 0;
  bool start = false;   // "rounds": those of the start come first
  bool median = false;  // "rounds": over seeds, without a band, in place of mean and deviation
  std::string title;    // above this panel
  bool fit = false;     // "cells": print the slope of each series
  // "cells": print from where on each series has done all but this share of its way.
  std::optional<double> settled;
  bool log_x = false;
  bool log_y = false;
  std::optional<double> x_most;
  std::optional<double> y_least;
  std::optional<double> y_most;

  void options(Options& o);
};

struct Experiment {
  std::string id;
  std::string title;
  std::string source;  // which table of which paper
  std::string setup;
  std::string differs;      // from the paper, at any scale
  std::string scaled_down;  // "" at the paper's scale
  std::string takes;        // time, in words
  // Cells whose names hold one of these texts are run only where --only asks for them.
  std::vector<std::string> without;
  std::vector<std::string> data;
  bool side_by_side = false;  // runs are small: each on a thread of its own
  std::string across;         // a grid's key whose values are columns, of a row for each cell; "": a list
  std::string runs_of;        // whose run folders it uses; its own id unless given
  std::vector<std::int64_t> seeds;
  std::optional<Trial> trial;
  std::vector<PaperCell> cells;
  std::vector<PlotSpec> plots;  // panels of one figure, side by side
};

// Reads and checks an experiment and every config it stands for. Mistakes go to `problems`, with file and
// line. `seeds`: so many instead of the file's number.
Experiment read_experiment(const Papers& papers, const std::string& id, Scale scale,
                           std::optional<std::int64_t> seeds, Problems& problems);

// A name that folders can have: "IFCA, m = 50" -> "ifca-m-50".
std::string folder_name_of(const std::string& name);

}  // namespace coterie
