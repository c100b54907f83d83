// A finished run as its folder tells it: summary.json, config.toml, rounds.jsonl, clients.csv, events.jsonl.
// A figure that does not apply is NaN. Only summary.json must be there; an absent log reads as empty.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/csv_rows.h"

namespace coterie {

// One of summary.json's metrics.
struct MetricFigures {
  double mean = kAbsent;  // over all rows of the training clients
  double worst = kAbsent;
  std::optional<std::uint32_t> worst_client;
  double test = kAbsent;
};

struct RunSummary {
  std::string algorithm;
  std::string name;
  std::string dataset;
  std::string model;
  std::string verdict;  // "finished" or "diverged"
  std::string attack;   // empty: nobody lies
  std::uint64_t seed = 0;
  double rounds = kAbsent;
  double clusters = kAbsent;        // models
  double clusters_found = kAbsent;  // of them with clients, at the last evaluation; from rounds.jsonl
  double clients = kAbsent;
  double judged = kAbsent;    // of them, at the end
  double accuracy = kAbsent;  // mean over the clients' own held-out parts, by samples
  double accuracy_std = kAbsent;
  double accuracy_min = kAbsent;
  double loss = kAbsent;
  double test_accuracy = kAbsent;
  double test_loss = kAbsent;
  double ari = kAbsent;
  double nmi = kAbsent;
  double cluster_accuracy = kAbsent;
  double worst_cluster = kAbsent;
  double parameter_error = kAbsent;
  std::map<std::string, MetricFigures> metrics;  // by name; none in runs of older programs
  double auc = kAbsent;                          // of these, over all clients
  double balanced_accuracy = kAbsent;
  double majority = kAbsent;
  double rmse = kAbsent;
  double rmse_worst = kAbsent;
  double test_rmse = kAbsent;
  double r2 = kAbsent;
  double bytes_up = kAbsent;
  double bytes_down = kAbsent;
  double bytes_eval = kAbsent;
  double bytes_overhead = kAbsent;
  double seconds = kAbsent;
  double seconds_per_round = kAbsent;
  double threads = kAbsent;
  double peak_rss_bytes = kAbsent;

  // Whether one class has so many of the rows that accuracy says little.
  bool one_sided() const { return majority > 0.8; }
  // Whether there are targets to explain: the figures of a regression apply.
  bool has_targets() const { return rmse - rmse == 0; }
  bool diverged() const { return verdict == "diverged"; }
};

struct RoundLine {
  std::uint32_t round = 0;
  std::string phase;                      // "init" or "train"
  std::map<std::string, double> figures;  // single numbers only
  std::vector<double> sizes;              // training clients by found cluster; empty when not evaluated

  double figure(const std::string& name) const {
    auto it = figures.find(name);
    return it == figures.end() ? kAbsent : it->second;
  }
};

struct ClientRow {
  std::uint32_t id = 0;
  std::string name;  // of the owner it stands for; empty when there is none
  std::string role;  // "train", "unseen" or "test"
  double samples = 0;
  std::optional<std::uint32_t> truth;  // none: unknown
  std::string truth_name;
  std::optional<std::uint32_t> cluster;  // none: the client has a model of its own
  double weight = kAbsent;               // of that cluster
  double loss = kAbsent;
  double accuracy = kAbsent;
  double auc = kAbsent;
  double rmse = kAbsent;
  std::vector<double> labels = {};  // training samples of each class; empty where it does not tell

  // Its name, or "client 7".
  std::string called() const { return name.empty() ? "client " + std::to_string(id) : name; }
};

struct EventLine {
  std::uint32_t round = 0;
  std::string kind;
  std::optional<std::uint32_t> client;
  std::string text;
  std::vector<std::pair<std::string, double>> numbers;  // all other fields that are numbers
  std::vector<std::uint32_t> clients = {};              // whom it moved

  double number(const std::string& key) const {
    for (const auto& [name, value] : numbers) {
      if (name == key) return value;
    }
    return kAbsent;
  }
};

struct RunRecord {
  std::string folder;
  RunSummary summary;
  std::string config;  // the text of config.toml
  std::vector<RoundLine> rounds;

  // Name of the run, or of its folder when it has none.
  std::string title() const;
  // (round, figure) of the training rounds that were evaluated.
  std::vector<std::pair<double, double>> curve(const std::string& figure) const;
};

bool is_run_folder(const std::string& folder);
// These folders where they are runs, else the runs inside them (sweeps), in alphabetical order. Throws Error
// when one holds no run. Runs that failed or are still under way go to `unfinished`.
std::vector<std::string> find_runs(const std::vector<std::string>& folders,
                                   std::vector<std::string>* unfinished = nullptr);
// How far a run got that has no summary: "stopped after round 3 of 50; go on with --resume", or that a
// program is still at it. Empty where there is no checkpoint, as after a failure in round 1, or none to read.
std::string progress_text(const std::string& folder);
// "2 runs not finished: a (stopped after round 3 of 50; go on with --resume), b (...)"; empty when all are.
std::string unfinished_text(const std::vector<std::string>& unfinished);

// All of these throw Error, with the file and line, when a file is not what it should be.
RunRecord read_run(const std::string& folder);
// Apart from the rest, since a run may have a million clients.
std::vector<ClientRow> read_clients(const std::string& folder);
std::vector<EventLine> read_events(const std::string& folder);
// What a grouping of the clients' own models said of itself, the last one (event "clusters-found"); empty
// when there was none.
std::string grouping_text(const std::vector<EventLine>& events);

}  // namespace coterie
