#include "run/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/disk.h"
#include "base/sealed_summary.h"
#include "base/text.h"
#include "metrics/scores.h"

namespace coterie {
namespace {

const char* role_name(Role role) {
  switch (role) {
    case Role::train:
      return "train";
    case Role::unseen:
      return "unseen";
    case Role::test:
      return "test";
  }
  return "";
}

// Empty where a figure does not apply.
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

// Who has a row in the table of clients, ascending.
std::vector<ClientId> listed(const Session& session, const Evaluation& evaluation) {
  std::set<ClientId> ids(session.liars().begin(), session.liars().end());
  for (const ClientScore& score : evaluation.scores) ids.insert(score.client);
  return {ids.begin(), ids.end()};
}

// Models on offer; where clients have models of their own, the groups of honest clients found among them.
std::size_t cluster_count(const Algorithm& algorithm, const std::vector<ClientId>& liars) {
  const std::vector<std::uint32_t> groups = algorithm.found_clusters();
  if (groups.empty()) return algorithm.offer().models.size();
  std::set<std::uint32_t> met;
  for (ClientId i = 0; i < groups.size(); ++i) {
    if (!std::binary_search(liars.begin(), liars.end(), i)) met.insert(groups[i]);
  }
  return met.size();
}

// Every metric of the task that is a figure of scored rows.
nlohmann::ordered_json metrics_of(const Evaluation& evaluation) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const std::string& name : Registry<Metric>::instance().names()) {
    const std::unique_ptr<Metric> metric = Registry<Metric>::instance().make(name);
    const std::optional<Metric::Figure> figure = metric->figure();
    if (!figure || figure->task.value_or(evaluation.task) != evaluation.task) continue;
    const RowFigures found = row_figures(*metric, evaluation);
    nlohmann::ordered_json worst;
    if (found.worst_client) worst = {{"value", found.worst}, {"client", *found.worst_client}};
    out[figure->name] = {{"mean", found.mean}, {"worst", worst}, {"test", found.test}};
  }
  return out;
}

// Columns of clients.csv for the metrics that a reader looks for first.
constexpr const char* kClientMetrics[] = {"balanced-accuracy", "auc", "rmse", "mae"};

std::vector<std::unique_ptr<Metric>> client_metrics() {
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const char* name : kClientMetrics) metrics.push_back(Registry<Metric>::instance().make(name));
  return metrics;
}

std::string metric_cells(const std::vector<std::unique_ptr<Metric>>& metrics, const Evaluation& evaluation,
                         const ClientScore& score) {
  std::string cells;
  const ClientScore* const one = &score;
  for (const std::unique_ptr<Metric>& metric : metrics) {
    const bool applies = metric->figure()->task.value_or(evaluation.task) == evaluation.task;
    cells += "," + (applies && score.samples > 0 ? cell(metric->over(evaluation, {&one, 1})) : "");
  }
  return cells;
}

}  // namespace

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void write_summary(const RunFolder& folder, Session& session, const Evaluation& evaluation,
                   const Record& last, std::uint32_t rounds, const RunCost& cost,
                   const std::string& verdict) {
  if (!folder.keeps()) return;
  const Config& config = session.config();
  const Traffic& traffic = session.fleet().traffic();
  auto figure = [&](const char* name) { return last.number(name); };
  nlohmann::ordered_json j;
  j["algorithm"] = config.algorithm_kind;
  j["name"] = config.name;
  j["dataset"] = config.federation.source_name;
  j["model"] = config.model_in_use();
  j["seed"] = config.seed;
  j["rounds"] = rounds;
  // Why it was over then: the config's last round, or nothing was left to do.
  j["ended"] = rounds < config.rounds.count ? "finished" : "rounds";
  j["verdict"] = verdict;
  j["clusters"] = cluster_count(session.algorithm(), session.liars());
  j["clusters_found"] = figure("clusters_found");
  j["clients"] = session.roster().training();
  j["judged"] = session.evaluator().judged();
  j["attack"] =
      session.liars().empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(config.attack.kind);
  j["liars"] = session.liars().size();
  j["accuracy"] = {
      {"mean", figure("accuracy")}, {"std", figure("accuracy_std")}, {"min", figure("accuracy_min")}};
  for (const char* name :
       {"loss", "test_accuracy", "test_loss", "ari", "nmi", "cluster_accuracy", "worst_cluster",
        "parameter_error", "parameter_error_mean", "parameter_error_nearest", "normalised_error"}) {
    j[name] = figure(name);
  }
  j["metrics"] = metrics_of(evaluation);
  j["bytes_up"] = traffic.up;
  j["bytes_down"] = traffic.down;
  j["bytes_eval"] = traffic.eval;
  j["bytes_overhead"] = traffic.overhead;
  j["seconds"] = cost.seconds;
  j["seconds_per_round"] = cost.seconds_per_round;
  j["ranks"] = cost.ranks;
  j["seconds_waited"] = cost.waited;
  j["bytes_merged"] = cost.bytes_merged;
  j["threads"] = cost.threads;
  j["peak_rss_bytes"] = cost.peak_rss_bytes;
  std::vector<std::string> files = {"config.toml",  "agreement.toml", "rounds.jsonl",
                                    "events.jsonl", "clients.csv",    "schema.json"};
  for (const char* name : {"assign.json", "losses.csv", "means.csv"}) {
    if (is_file(folder.file(name))) files.emplace_back(name);
  }
  for (const std::string& model : folder.models()) files.push_back(model);
  seal_summary(folder.path(), files, j);
  write_atomically(folder.file("summary.json"), summary_text(j));
}

void write_clients(const RunFolder& folder, Session& session, const Evaluation& evaluation) {
  std::string text =
      "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy,balanced_accuracy,auc,rmse,mae,"
      "shifts,labels,weights\n";
  const Roster& federation = session.roster();
  const Truth& truth = federation.truth();
  bool classes = evaluation.task == Task::classification;
  const auto labels = session.label_counts(listed(session, evaluation));
  auto about = [&](ClientId client) {
    const auto counts = labels.find(client);
    return fmt::format("{},{}", csv_field(fmt::format("{}", fmt::join(federation.shifts(client), "; "))),
                       counts == labels.end() ? "" : fmt::format("{}", fmt::join(counts->second, " ")));
  };
  const auto metrics = client_metrics();
  // Liars are not judged. They have their rows among the training clients, in order of id.
  auto liar = session.liars().begin();
  auto write_liars = [&](std::size_t below) {
    for (; liar != session.liars().end() && *liar < below; ++liar) {
      const ClientInfo info = federation.info(*liar);
      text += fmt::format("{},{},liar,{},{},{},,,,,,,,,{},\n", *liar, csv_field(federation.name(*liar)),
                          info.train, info.truth, csv_field(truth.names[info.truth]), about(*liar));
    }
  };
  const bool soft = std::any_of(evaluation.scores.begin(), evaluation.scores.end(), [](const ClientScore& s) {
    return !s.weights.empty() && *std::max_element(s.weights.begin(), s.weights.end()) < 1;
  });
  for (const ClientScore& s : evaluation.scores) {
    write_liars(s.role == Role::train ? s.client : federation.training());
    // A personal model's score on a shared test set is no client of its own.
    if (evaluation.personal && s.role == Role::test) continue;
    double weight = s.weights.empty() ? 1.0 : *std::max_element(s.weights.begin(), s.weights.end());
    std::string weights;  // of soft methods, over all clusters
    if (soft) weights = fmt::format("{:.6g}", fmt::join(s.weights, " "));
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}{},{},{}\n", s.client, csv_field(federation.name(s.client)),
        role_name(s.role), federation.info(s.client).train, s.truth, csv_field(truth.names[s.truth]),
        evaluation.has_clusters() ? s.cluster : s.client, weight, cell(s.loss),
        classes ? cell(s.accuracy) : "", metric_cells(metrics, evaluation, s), about(s.client), weights);
  }
  write_liars(federation.training());
  folder.write("clients.csv", text);
}

}  // namespace coterie
