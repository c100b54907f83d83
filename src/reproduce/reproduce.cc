#include "reproduce/reproduce.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>

#include "base/launch.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/threads.h"
#include "coterie/run.h"
#include "fleet/fleets.h"
#include "library/library.h"
#include "report/html.h"
#include "reproduce/attempts.h"
#include "reproduce/measures.h"
#include "reproduce/plot.h"
#include "run/folder.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

// One experiment on its way to its results.
class Reproduction {
 public:
  Reproduction(const Experiment& experiment, const ReproduceRequest& request)
      : experiment_(experiment),
        request_(request),
        folder_(request.out + "/" + experiment.id),
        runs_folder_(request.out + "/" + experiment.runs_of + "/runs"),
        runs_(experiment.cells.size()) {}

  // False when something failed or it was asked to stop.
  bool run() {
    for (const PaperCell& cell : experiment_.cells) {
      results_.push_back({cell.name, cell.paper, {}, cell.measure.median, cell.code});
      for (const CellVariant& one : cell.variants) results_.back().variants.push_back({one.at});
    }
    make_folders(folder_);
    make_folders(runs_folder_);
    Ranks& ranks = request_.spread_runs ? launched_ranks() : alone();
    if (ranks.count() > 1 && !experiment_.trial) run_on_all(ranks);
    // What is left is to read what all have made; trials come one after the other.
    if (!ranks.leads()) return true;
    experiment_.trial ? run_trials() : run_cells();
    if (stop_requested()) return false;
    conclude();
    return good_;
  }

 private:
  void run_cells() {
    if (experiment_.side_by_side) run_side_by_side(runs_left(), 1);
    for (std::size_t c = 0; c < experiment_.cells.size(); ++c) {
      const PaperCell& cell = experiment_.cells[c];
      if (cell.variants.empty()) {
        run_cell(cell, variants_of(cell)[0], results_[c].values, runs_[c]);
        continue;
      }
      std::vector<std::vector<std::string>> runs(cell.variants.size());
      for (std::size_t v = 0; v < cell.variants.size(); ++v) {
        run_cell(cell, cell.variants[v], results_[c].variants[v].values, runs[v]);
      }
      runs_[c] = std::move(runs[results_[c].take_worst(cell.highest)]);
    }
  }

  // What a cell has to run.
  static std::vector<CellVariant> variants_of(const PaperCell& cell) {
    return cell.variants.empty() ? std::vector<CellVariant>{{"", cell.run, cell.config}} : cell.variants;
  }

  RunRequest run_of(const PaperCell& cell, const CellVariant& variant, std::int64_t seed) const {
    Table table = variant.config;
    table.set("seed", {seed, {}});
    RunRequest run;
    run.file = cell.config_file;
    run.text = write_toml(table);
    run.out = fmt::format("{}/{}/seed-{}", runs_folder_, variant.run, seed);
    run.data_folder = request_.data_folder;
    run.threads = request_.threads;
    run.resume = true;
    run.renew = true;
    run.quiet = request_.quiet;
    run.share = RunRequest::Share::nothing;
    run.finished = [](const RunOutcome& one) {
      if (is_there(one.folder + "/report.html")) return;
      try {
        write_report(one.folder);
      } catch (const Error& e) {
        std::cerr << "warning: all results are there, but a page is not: " << e.what() << '\n';
      }
    };
    return run;
  }

  // Those that have not ended, each folder once.
  std::vector<RunRequest> runs_left() const {
    std::vector<RunRequest> runs;
    std::set<std::string> folders;
    for (const PaperCell& cell : experiment_.cells) {
      for (const CellVariant& variant : variants_of(cell)) {
        for (const std::int64_t seed : experiment_.seeds) {
          RunRequest run = run_of(cell, variant, seed);
          run.quiet = true;
          const bool there = RunFolder(run.out).finished();
          if (!there && folders.insert(run.out).second) runs.push_back(std::move(run));
        }
      }
    }
    return runs;
  }

  // Every rank makes its share of the runs that rank 0 finds missing.
  void run_on_all(Ranks& ranks) {
    std::vector<RunRequest> runs = runs_left();
    std::vector<std::string> left;
    for (const RunRequest& run : runs) left.push_back(run.out);
    left = decode<std::vector<std::string>>(from_first(ranks, encode(left, Precision::f64)), Precision::f64);
    std::vector<RunRequest> own;
    for (std::size_t i = ranks.rank(); i < left.size(); i += ranks.count()) {
      const auto run =
          std::find_if(runs.begin(), runs.end(), [&](const auto& one) { return one.out == left[i]; });
      if (run != runs.end()) own.push_back(std::move(*run));
    }
    run_side_by_side(std::move(own), experiment_.side_by_side ? 1 : 0);
    wait_for_all(ranks);
  }

  // With a thread each (`threads` = 1): small rounds leave much of a second thread's time unused. The bits
  // are the same. A run that fails is left for run_cell(), which tells why.
  void run_side_by_side(std::vector<RunRequest> runs, unsigned threads) {
    const unsigned all =
        request_.threads == 0 ? threads_of_process(launch_of_environment()) : request_.threads;
    ThreadPool pool(threads == 1 ? all : 1);
    const bool quiet = request_.quiet || launch_of_environment().rank > 0;
    Progress progress(std::cerr, Progress::style_of_stderr(quiet), "run");
    std::mutex one_at_a_time;
    std::size_t done = 0;
    pool.for_each(runs.size(), [&](std::size_t r, unsigned) {
      if (stop_requested()) return;
      if (threads > 0) runs[r].threads = threads;
      try {
        run_experiment(runs[r]);
      } catch (const Error&) {
      }
      const std::lock_guard lock(one_at_a_time);
      progress.show(++done, runs.size(), fs::path(runs[r].out).parent_path().filename().string());
    });
    progress.finish();
  }

  // The runs of all seeds: adds what they give, and the folders of those that came to an end.
  void run_cell(const PaperCell& cell, const CellVariant& variant, std::vector<double>& values,
                std::vector<std::string>& folders) {
    const std::string name = variant.at.empty() ? cell.name : cell.name + " (" + variant.at + ")";
    for (const std::int64_t seed : experiment_.seeds) {
      if (stop_requested()) return;
      const RunRequest run = run_of(cell, variant, seed);
      bool there = RunFolder(run.out).finished();
      if (!request_.quiet && !there) std::cerr << fmt::format("{}, seed {}\n", name, seed);
      try {
        if (!run_experiment(run).front().finished) return;
        values.push_back(measure_run(cell.measure, run.out));
        folders.push_back(run.out);
      } catch (const Error& e) {
        fail(fmt::format("{}, seed {}", name, seed), e.what());
      }
    }
  }

  void run_trials() {
    LightRunner runner(data_folder(request_.data_folder), request_.threads);
    Attempts attempts(runs_folder_ + "/attempts.jsonl", runner);
    Progress progress(std::cerr, Progress::style_of_stderr(request_.quiet), "trial");
    std::size_t done = 0;
    for (std::size_t c = 0; c < experiment_.cells.size(); ++c) {
      for (std::int64_t seed : experiment_.seeds) {
        const PaperCell& cell = experiment_.cells[c];
        try {
          std::optional<bool> success = run_trial(cell, seed, attempts);
          if (!success) return;
          results_[c].values.push_back(*success ? 1 : 0);
        } catch (const Error& e) {
          fail(fmt::format("{}, trial {}", cell.name, seed), e.what());
        }
        progress.show(++done, experiment_.cells.size() * experiment_.seeds.size(),
                      fmt::format("{}: {:.2f}", cell.name, results_[c].ours().mean));
      }
    }
    progress.finish();
  }

  // Nothing when it was asked to stop.
  std::optional<bool> run_trial(const PaperCell& cell, std::int64_t seed, Attempts& attempts) {
    const Trial& trial = *experiment_.trial;
    for (const Settings& attempt : product(trial.attempts)) {
      Table table = cell.config;
      set_path(table, "data.seed", {seed, {}});
      std::string name = fmt::format("{}, data.seed = {}", cell.name, seed);
      for (const auto& [path, value] : attempt) {
        set_path(table, path, value);
        name += ", " + path + " = " + value.text();
      }
      Problems problems;
      Config config = read_config(table, cell.config_file, problems);
      problems.raise_if_any();
      std::optional<double> figure = attempts.figure(config, trial.figure, name);
      if (!figure) return std::nullopt;
      if (*figure < trial.threshold(table)) return true;  // never for NaN
    }
    return false;
  }

  void fail(const std::string& what, std::string why) {
    good_ = false;
    if (why.starts_with("error: ")) why = why.substr(7);
    std::cerr << "error: " << experiment_.id << ": " << what << ": " << why << '\n';
  }

  void conclude() {
    write_atomically(folder_ + "/results.csv", results_csv(results_, request_.scale));
    Marks marks = isatty(STDOUT_FILENO) ? Marks::bold : Marks::star;
    std::cout << results_text(experiment_, results_, marks);
    if (!experiment_.plots.empty()) {
      std::vector<Panel> panels;
      for (const PlotSpec& plot : experiment_.plots) {
        Panel panel{plot, plot.kind == "rounds" ? series_by_round(experiment_, plot, runs_)
                                                : series_of_cells(experiment_, plot, results_)};
        if (!panel.series.empty()) panels.push_back(std::move(panel));  // --only may leave some without
      }
      for (const Panel& panel : panels) {
        if (panel.plot.fit) std::cout << fits_text(panel);
        if (panel.plot.settled) std::cout << settled_text(panel, *panel.plot.settled);
      }
      std::string trouble = draw_plot(experiment_, panels, folder_);
      if (trouble.empty()) {
        std::cout << fmt::format("Figure: {}/{}.svg and .png\n", folder_, experiment_.id);
      } else {
        std::cout << "No figure: " << trouble << '\n';
      }
    }
    std::cout << fmt::format("Numbers: {}/results.csv, runs: {}\n\n", folder_, runs_folder_) << std::flush;
  }

  const Experiment& experiment_;
  const ReproduceRequest& request_;
  std::string folder_;
  std::string runs_folder_;
  std::vector<CellResult> results_;
  std::vector<std::vector<std::string>> runs_;  // finished run folders of each cell
  bool good_ = true;
};

Papers papers_of(const std::string& folder) {
  return folder.empty() ? Papers::embedded() : Papers::in_folder(folder);
}

bool holds_any(const std::string& name, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return name.find(text) != std::string::npos; });
}

void keep_only(const std::vector<std::string>& texts, Experiment& experiment) {
  std::vector<std::string> names;
  for (const PaperCell& cell : experiment.cells) names.push_back('"' + cell.name + '"');
  std::erase_if(experiment.cells, [&](const PaperCell& cell) {
    return texts.empty() ? holds_any(cell.name, experiment.without) : !holds_any(cell.name, texts);
  });
  if (experiment.cells.empty()) {
    throw BadConfig(fmt::format("error: --only: no cell of {} is called like that; it has {}", experiment.id,
                                join(names, ", ")));
  }
}

}  // namespace

bool reproduce(const ReproduceRequest& request) {
  Papers papers = papers_of(request.papers);
  Problems problems;
  std::vector<Experiment> experiments;
  for (const std::string& wanted : request.ids) {
    for (const std::string& id : papers.resolve(wanted)) {
      experiments.push_back(read_experiment(papers, id, request.scale, request.seeds, problems));
      keep_only(request.only, experiments.back());
    }
  }
  problems.raise_if_any();
  bool good = true;
  for (const Experiment& experiment : experiments) {
    std::string missing = missing_data(experiment.data, request.data_folder);
    if (!missing.empty()) {
      if (launch_of_environment().rank == 0)
        std::cerr << "error: " << experiment.id << ": " << missing << '\n';
      good = false;
      continue;
    }
    good = Reproduction(experiment, request).run() && good;
    if (stop_requested()) {
      if (launch_of_environment().rank > 0) return false;
      std::cerr << "stopped; the same command goes on\n";
      return false;
    }
  }
  return good;
}

std::string list_experiments(const std::string& folder, const std::string& data_folder) {
  Papers papers = papers_of(folder);
  TextTable table;
  for (const char* header : {"id", "what", "data", "quick takes", "paper's scale takes"})
    table.column(header);
  Problems problems;
  for (const std::string& id : papers.ids()) {
    Experiment quick = read_experiment(papers, id, Scale::quick, std::nullopt, problems);
    Experiment full = read_experiment(papers, id, Scale::paper, std::nullopt, problems);
    std::string data = quick.data.empty() ? "–" : join(quick.data, ", ");
    if (!missing_data(quick.data, data_folder).empty()) data += " (missing)";
    table.row({id, quick.title, data, quick.takes, full.takes});
  }
  problems.raise_if_any();
  return table.text(isatty(STDOUT_FILENO) ? Marks::bold : Marks::star);
}

}  // namespace coterie
