// experiment.toml as an Experiment.
#include <cmath>
#include <filesystem>
#include <set>

#include "base/option_readers.h"
#include "reproduce/experiment.h"
#include "reproduce/plot.h"
#include "run/config.h"

namespace coterie {
namespace {

const Table kNothing;

void flatten(const Table& table, const std::string& prefix, Settings& out) {
  for (const auto& [key, value] : table.entries) {
    std::string path = prefix.empty() ? key : prefix + "." + key;
    if (value.is_table()) {
      flatten(std::get<Table>(value.data), path, out);
    } else {
      out.emplace_back(path, value);
    }
  }
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string plain_text(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  return text != nullptr ? *text : value.text();
}

class ExperimentReader {
 public:
  ExperimentReader(const Papers& papers, const std::string& id, Scale scale,
                   std::optional<std::int64_t> seeds, Problems& problems)
      : papers_(papers),
        path_(papers.experiment_file(id)),
        file_(papers.shown(path_)),
        quick_(scale == Scale::quick),
        wanted_seeds_(seeds),
        problems_(problems) {
    out_.id = id;
  }

  Experiment read() {
    top_ = parse_toml(*papers_.find(path_), file_);
    read_top();
    quick();
    set_ = settings(top_, "set");
    grid_ = axes(top_, "grid", quick_ ? &quick_grid_ : nullptr);
    trial();
    section("measure", measure_);
    cells();
    plots();
    return std::move(out_);
  }

 private:
  // --- sections --------------------------------------------------------------------------------------------
  void read_top() {
    std::int64_t seeds = 1;
    std::int64_t first = 0;
    OptionParser parser(top_, "", {file_, 0}, problems_);
    parser("title", &out_.title, "");
    parser("source", &out_.source, "");
    parser("setup", &out_.setup, "");
    parser("differs", &out_.differs, "");
    parser("takes", &out_.takes, "");
    parser("side_by_side", &out_.side_by_side, "");
    parser("data", &out_.data, "");
    parser("config", &config_, "");
    parser("runs_of", &out_.runs_of, "");
    parser("across", &out_.across, "");
    parser("seeds", &seeds, "", between(1, 100000));
    parser("first_seed", &first, "", at_least(0));
    for (const char* name : {"set", "grid", "trial", "measure", "cell", "plot", "quick"}) parser.claim(name);
    parser.require(!out_.title.empty(), "title", "is needed: what the table or figure shows");
    parser.require(!config_.empty(), "config", "is needed: a config file, relative to this one");
    parser.finish();
    if (out_.runs_of.empty()) out_.runs_of = out_.id;
    seeds_ = seeds;
    first_seed_ = first;
  }

  void quick() {
    Where where;
    const Table& table = sub_table(top_, "quick", where);
    OptionParser parser(table, "quick", where, problems_);
    std::string says;
    std::string takes;
    std::int64_t seeds = seeds_;
    parser("says", &says, "");
    std::vector<std::string> without;
    parser("takes", &takes, "");
    parser("seeds", &seeds, "", between(1, 100000));
    parser("without", &without, "");
    for (const char* name : {"set", "grid", "attempts"}) parser.claim(name);
    parser.finish();
    if (quick_) {
      out_.scaled_down = says;
      out_.takes = takes;
      out_.without = std::move(without);
      seeds_ = seeds;
      quick_set_ = settings(table, "set");
    }
    quick_grid_ = settings(table, "grid");
    quick_attempts_ = settings(table, "attempts");
    for (std::int64_t s = 0; s < wanted_seeds_.value_or(seeds_); ++s) out_.seeds.push_back(first_seed_ + s);
  }

  void trial() {
    if (top_.find("trial") == nullptr) return;
    Trial trial;
    Where where;
    const Table& table = sub_table(top_, "trial", where);
    OptionParser parser(table, "trial", where, problems_);
    parser("figure", &trial.figure, "");
    parser("below", &trial.below, "");
    for (const char* name : {"attempts", "below_times"}) parser.claim(name);
    parser.finish();
    trial.below_times = factors(table, "below_times", "trial.below_times");
    trial.attempts = axes(table, "attempts", quick_ ? &quick_attempts_ : nullptr);
    out_.trial = std::move(trial);
  }

  Factors factors(const Table& table, const std::string& name, const std::string& shown) {
    Factors all;
    for (const auto& [path, value] : settings(table, name)) {
      const auto* whole = std::get_if<std::int64_t>(&value.data);
      const auto* number = std::get_if<double>(&value.data);
      if (whole == nullptr && number == nullptr) {
        problems_.add(value.where, shown + "." + path + " must be a number");
        continue;
      }
      all.emplace_back(path, number != nullptr ? *number : static_cast<double>(*whole));
    }
    return all;
  }

  // Whether the config gives a number for each of them.
  bool have_numbers(const Factors& factors, const std::string& shown, const Table& config,
                    const Where& where) {
    for (const auto& [path, factor] : factors) {
      const Value* value = find_path(config, path);
      if (value == nullptr || !(std::holds_alternative<double>(value->data) ||
                                std::holds_alternative<std::int64_t>(value->data))) {
        problems_.add(where, shown + "." + path + ": the config gives no number for it");
        return false;
      }
    }
    return true;
  }

  template <class T>
  void section(const std::string& name, T& target) {
    Where where;
    const Table& table = sub_table(top_, name, where);
    OptionParser parser(table, name, where, problems_);
    target.options(parser);
    parser.finish();
  }

  bool in_grid(const std::string& key) const {
    return std::any_of(grid_.begin(), grid_.end(), [&](const auto& axis) { return axis.first == key; });
  }

  // Whether the config of every cell does.
  bool gives_number(const std::string& key) const {
    return std::all_of(out_.cells.begin(), out_.cells.end(), [&](const PaperCell& cell) {
      const Value* value = find_path(cell.config, key);
      return value != nullptr && !std::isnan(number_of(*value));
    });
  }

  // [plot], or [[plot]] for each panel.
  void plots() {
    const Value* value = top_.find("plot");
    if (value == nullptr) return;
    if (!value->is_array()) return plot(*value);
    for (const Value& panel : std::get<Array>(value->data)) plot(panel);
  }

  void plot(const Value& value) {
    PlotSpec plot;
    if (!value.is_table()) {
      problems_.add(value.where, "plot must be a table, or a list of tables: write [plot] or [[plot]]");
      return;
    }
    OptionParser parser(std::get<Table>(value.data), "plot", value.where, problems_);
    plot.options(parser);
    parser.finish();
    if (plot.kind == "cells" && !in_grid(plot.x) && !gives_number(plot.x)) {
      problems_.add(value.where, "plot.x = \"" + plot.x +
                                     "\": must be a key of [grid], or one that has a number in every config");
    }
    if (plot.kind == "rounds" && plot.figure.empty()) {
      problems_.add(value.where, "plot.figure is needed: the figure by round");
    }
    for (const std::string& name : plot.only) {
      const bool lines = plot.kind == "cells";
      bool known = false;
      for (const PaperCell& cell : out_.cells)
        known = known || (lines ? series_name(plot, cell) : cell.name) == name;
      if (known) continue;
      problems_.add(value.where,
                    "plot.only: there is no " + std::string(lines ? "line" : "cell") + " \"" + name + "\"");
    }
    out_.plots.push_back(std::move(plot));
  }

  // --- cells -----------------------------------------------------------------------------------------------
  void cells() {
    const Value* value = top_.find("cell");
    if (value == nullptr || !value->is_array() || std::get<Array>(value->data).empty()) {
      problems_.add(value == nullptr ? Where{file_, 0} : value->where,
                    "an experiment needs cells: write [[cell]]");
      return;
    }
    if (!out_.across.empty() && !in_grid(out_.across)) {
      problems_.add(top_.find("across")->where, "across = \"" + out_.across + "\": must be a key of [grid]");
    }
    std::set<std::string> names;
    for (const Value& one : std::get<Array>(value->data)) {
      if (!one.is_table()) {
        problems_.add(one.where, "cell must be a list of tables: write [[cell]]");
        continue;
      }
      for (const Settings& point : product(grid_)) {
        std::size_t before = problems_.size();
        PaperCell cell = read_cell(std::get<Table>(one.data), one.where, point);
        if (problems_.size() > before) break;  // the next points would repeat it
        if (!names.insert(cell.name).second) {
          problems_.add(one.where, "two cells are called \"" + cell.name +
                                       "\"; a grid's cells need its keys in their name, as {key}");
          break;
        }
        out_.cells.push_back(std::move(cell));
      }
    }
    for (const PaperCell& cell : out_.cells) {
      if (!cell.against.empty() && !names.contains(cell.against)) {
        problems_.add(value->where, "against: there is no cell \"" + cell.against + "\"");
        return;
      }
    }
  }

  PaperCell read_cell(const Table& table, const Where& where, const Settings& point) {
    PaperCell cell;
    cell.measure = measure_;
    cell.point = point;
    std::string config = config_;
    OptionParser parser(table, "cell", where, problems_);
    parser("name", &cell.name, "");
    parser("run", &cell.run, "");
    parser("line", &cell.line, "");
    parser("paper", &cell.paper, "");
    parser("code", &cell.code, "");
    parser("against", &cell.against, "");
    parser("config", &config, "");
    cell.measure.options(parser);
    for (const char* name : {"set", "quick", "paper_times", "lowest_of", "highest_of"}) parser.claim(name);
    parser.require(!cell.name.empty(), "name", "is needed: what the cell is called in the table");
    parser.require(cell.against.empty() || !out_.across.empty(), "against", "needs across");
    parser.require(cell.paper.has_value() || table.find("paper_times") == nullptr, "paper_times",
                   "needs paper");
    parser.finish();
    cell.row = cell.name;
    const std::string key = "{" + out_.across + "}";
    for (const std::string& text : {", " + key, key + ", ", key}) replace_all(cell.row, text, "");
    for (const auto& [path, value] : point) {
      if (path == out_.across) cell.column = plain_text(value);
      for (std::string* text : {&cell.name, &cell.row, &cell.run})
        replace_all(*text, "{" + path + "}", plain_text(value));
    }
    if (cell.run.empty()) cell.run = cell.name;
    cell.run = folder_name_of(cell.run);
    configure(cell, config, table, where);
    variants(cell, table, where);
    const Factors times = factors(table, "paper_times", "cell.paper_times");
    if (cell.paper && have_numbers(times, "cell.paper_times", cell.config, where)) {
      cell.paper = with_multiples(*cell.paper, times, cell.config);
    }
    return cell;
  }

  // The config with everything set that this scale sets, checked.
  void configure(PaperCell& cell, const std::string& config, const Table& table, const Where& where) {
    std::string path =
        (std::filesystem::path(path_).parent_path() / config).lexically_normal().generic_string();
    const std::string* text = papers_.find(path);
    cell.config_file = papers_.shown(path);
    if (text == nullptr) {
      problems_.add(where, "config = \"" + config + "\": there is no file " + cell.config_file);
      return;
    }
    cell.config = parse_toml(*text, cell.config_file);
    apply(set_, cell.config);
    apply(cell.point, cell.config);
    apply(settings(table, "set"), cell.config);
    apply(quick_set_, cell.config);
    Settings own = settings(table, "quick");
    if (quick_) apply(own, cell.config);
    check_config(cell, cell.config, where);
  }

  // The settings of which a cell tells the worst.
  void variants(PaperCell& cell, const Table& table, const Where& where) {
    cell.highest = table.find("highest_of") != nullptr;
    const std::string key = cell.highest ? "highest_of" : "lowest_of";
    if (table.find(key) == nullptr) return;
    if (out_.trial || (cell.highest && table.find("lowest_of") != nullptr)) {
      problems_.add(where, "a cell has either lowest_of or highest_of, and neither with [trial]");
      return;
    }
    for (const Settings& point : product(axes(table, key, nullptr))) {
      CellVariant one{"", cell.run, cell.config};
      apply(point, one.config);
      for (const auto& [path, value] : point) {
        const std::string last = path.substr(path.rfind('.') + 1);
        one.at += (one.at.empty() ? "" : ", ") + last + " = " + plain_text(value);
      }
      one.run = folder_name_of(cell.run + " " + one.at);
      const std::size_t before = problems_.size();
      check_config(cell, one.config, where);
      if (problems_.size() > before) return;
      cell.variants.push_back(std::move(one));
    }
  }

  void check_config(const PaperCell& cell, const Table& config, const Where& where) {
    Table whole = config;
    if (out_.trial) {
      for (const auto& [path, values] : out_.trial->attempts) set_path(whole, path, values.front());
      have_numbers(out_.trial->below_times, "trial.below_times", whole, where);
    }
    if (whole.find("sweep") != nullptr) {
      problems_.add(where, cell.config_file + " has a [sweep]; cells and grids take its place here");
    }
    read_config(whole, cell.config_file, problems_);
  }

  static void apply(const Settings& settings, Table& config) {
    for (const auto& [path, value] : settings) set_path(config, path, value);
  }

  // --- pieces ----------------------------------------------------------------------------------------------
  const Table& sub_table(const Table& table, const std::string& name, Where& where) {
    where = {file_, 0};
    const Value* value = table.find(name);
    if (value == nullptr) return kNothing;
    where = value->where;
    if (value->is_table()) return std::get<Table>(value->data);
    problems_.add(where, name + " must be a table");
    return kNothing;
  }

  Settings settings(const Table& table, const std::string& name) {
    Where where;
    Settings out;
    flatten(sub_table(table, name, where), "", out);
    return out;
  }

  // Lists to take the product of; those of `instead` replace lists of the same key.
  Axes axes(const Table& table, const std::string& name, const Settings* instead) {
    Settings given = settings(table, name);
    if (instead != nullptr) {
      for (const auto& [path, value] : *instead) {
        bool known = false;
        for (auto& [key, old] : given) {
          if (key != path) continue;
          old = value;
          known = true;
        }
        if (!known) problems_.add(value.where, "quick: " + name + " has no key " + path);
      }
    }
    Axes out;
    for (auto& [path, value] : given) {
      if (!value.is_array() || std::get<Array>(value.data).empty()) {
        problems_.add(value.where, name + "." + path + " = " + value.text() + ": must be a list of values");
        continue;
      }
      out.emplace_back(path, std::get<Array>(value.data));
    }
    return out;
  }

  const Papers& papers_;
  std::string path_;  // in the papers' folder
  std::string file_;  // as errors name it
  bool quick_;
  std::optional<std::int64_t> wanted_seeds_;
  Problems& problems_;
  Experiment out_;
  Table top_;
  std::string config_;
  std::int64_t seeds_ = 1;
  std::int64_t first_seed_ = 0;
  Settings set_;
  Settings quick_set_;
  Settings quick_grid_;
  Settings quick_attempts_;
  Axes grid_;
  Measure measure_;
};

}  // namespace

Experiment read_experiment(const Papers& papers, const std::string& id, Scale scale,
                           std::optional<std::int64_t> seeds, Problems& problems) {
  return ExperimentReader(papers, id, scale, seeds, problems).read();
}

}  // namespace coterie
