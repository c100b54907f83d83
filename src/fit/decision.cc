#include "fit/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace coterie {

using Json = nlohmann::ordered_json;

const FitTrial* FitFindings::one_model() const {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (candidates[i].answer == Answer::one_model && !trials[i].failed()) return &trials[i];
  }
  return nullptr;
}

const FitTrial* FitFindings::one_of_the_chosen_kind() const {
  const FitTrial* first = one_model();
  if (!choice.chosen || first == nullptr) return nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const bool one = candidates[i].answer == Answer::one_model && candidates[i].model == chosen().model;
    if (one && !trials[i].failed()) return &trials[i] == first ? nullptr : &trials[i];
  }
  return nullptr;
}

namespace {

// The trial that says what models a method that the user named makes; none for other candidates.
const FitTrial* telling_trial(const FitFindings& f, std::size_t candidate) {
  const Candidate& one = f.candidates[candidate];
  const bool ran = candidate < f.trials.size() && !f.trials[candidate].failed();
  return ran && one.named && one.answer != Answer::local ? &f.trials[candidate] : nullptr;
}

}  // namespace

Answer FitFindings::answer_of(std::size_t candidate) const {
  const FitTrial* trial = telling_trial(*this, candidate);
  if (trial == nullptr) return candidates[candidate].answer;
  if (trial->personal) return Answer::shrink;
  return trial->models == 1 ? Answer::one_model : Answer::clusters;
}

std::size_t FitFindings::clusters_of(std::size_t candidate) const {
  const FitTrial* trial = telling_trial(*this, candidate);
  return trial == nullptr ? candidates[candidate].clusters : std::max<std::size_t>(1, trial->models);
}

double FitFindings::shown_loss(double mean_loss) const {
  return reading.task == Task::regression ? std::sqrt(mean_loss) : mean_loss;
}

std::size_t FitFindings::worst_client(const FitTrial& trial) const {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < trial.clients.size(); ++i) {
    const auto mean = [&](std::size_t k) { return trial.clients[k].loss / trial.clients[k].rows; };
    if (mean(i) > mean(worst)) worst = i;
  }
  return worst;
}

namespace {

void warn_of_data(const FitFindings& f, std::vector<std::string>& warnings) {
  const Reading& r = f.reading;
  std::size_t few = 0, one_class = 0;
  for (const Reading::Client& client : r.clients) {
    few += client.train < r.features + 1 ? 1 : 0;
    one_class += !client.classes.empty() && std::count_if(client.classes.begin(), client.classes.end(),
                                                          [](double n) { return n > 0; }) < 2
                     ? 1
                     : 0;
  }
  if (few > 0) {
    warnings.push_back(fmt::format("{} {} fewer training rows than coefficients ({})", counted(few, "client"),
                                   few == 1 ? "has" : "have", r.features + 1));
  }
  if (one_class > 0) {
    warnings.push_back(fmt::format("{} {} one class only among {} training rows",
                                   counted(one_class, "client"), one_class == 1 ? "has" : "have",
                                   one_class == 1 ? "its" : "their"));
  }
  for (const Reading::Gap& gap : r.gaps) {
    if (gap.everywhere.empty()) continue;
    warnings.push_back(
        fmt::format("column {} is missing in every row of {}: {}; it is filled with the others' mean",
                    in_quotes(gap.column), counted(gap.everywhere.size(), "client"),
                    join({gap.everywhere.begin(),
                          gap.everywhere.begin() +
                              static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, gap.everywhere.size()))},
                         ", ") +
                        (gap.everywhere.size() > 3 ? " ..." : "")));
  }
  for (const Reading::Constant& one : r.constants) {
    warnings.push_back(fmt::format(
        "column {} is {} in every row of {}{}: if that stands for a missing value, say so in the table",
        in_quotes(one.column), one.value,
        join({one.clients.begin(), one.clients.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min<std::size_t>(3, one.clients.size()))},
             ", "),
        one.clients.size() > 3 ? fmt::format(" and {} more", one.clients.size() - 3) : ""));
  }
  if (const double most = r.largest_class(); most > 0.8)
    warnings.push_back(fmt::format("{:.0f} % of the training rows are of one class", 100 * most));
  if (r.clients.size() < 12) {
    warnings.push_back(fmt::format("standard errors over {} are rough: gains may be chance",
                                   counted(r.clients.size(), "client")));
  }
  if (f.folds.unjudged > 0) {
    warnings.push_back(fmt::format("{} cannot be cut into folds, and {} not judged",
                                   counted(f.folds.unjudged, "client"),
                                   f.folds.unjudged == 1 ? "is" : "are"));
  }
}

void warn_of_groups(const FitFindings& f, std::vector<std::string>& warnings) {
  const GroupEvidence& e = f.evidence;
  if (!e.why_none.empty()) return;
  if (e.too_few > 0) {
    warnings.push_back(fmt::format(
        "{} {} too few rows (with --group: groups of rows) for the tests of groups (fewer than {})",
        counted(e.too_few, "client"), e.too_few == 1 ? "has" : "have", e.least_rows));
  }
  if (e.directions_cut > 0) {
    warnings.push_back(
        fmt::format("the tests compare {} directions of the coefficients; {} more, which rows tell least "
                    "about, are left out",
                    e.width, e.directions_cut));
  }
  if (e.homogeneity.p <= 0.05 && e.spread_is_zero)
    warnings.push_back(
        "the spread inside groups is estimated at zero: differences between members are all noise");
  if (e.misfit.p < 0.01) {
    warnings.push_back(
        fmt::format("the model's form does not fit: residuals change with predictions (p {}); with "
                    "different inputs at different clients that looks like groups",
                    e.misfit.p < 0.001 ? "< 0.001" : fmt::format("= {:.3f}", e.misfit.p)));
  }
  if (e.order.dependent()) {
    warnings.push_back(fmt::format(
        "rows of a client are not independent: residuals of rows next to each other in the file are alike "
        "(correlation {:.2f} over {:.0f} pairs), so p is too small and gains look surer than they are; name "
        "what belongs together by --group (a day, a recording, a patient; larger lots where it is named), or "
        "judge by later rows with --time",
        e.order.correlation, e.order.pairs));
  }
  if (e.groups > 1 && !e.labels.empty()) {
    std::map<std::uint32_t, std::size_t> sizes;
    for (const std::uint32_t label : e.labels) ++sizes[label];
    for (const auto& [label, size] : sizes) {
      if (static_cast<double>(size) < 0.05 * static_cast<double>(e.labels.size()))
        warnings.push_back(
            fmt::format("group {} has {}, below 5 % of them", label + 1, counted(size, "client")));
    }
  }
}

void warn_of_contest(const FitFindings& f, std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    if (!f.trials[i].failed() && is_far_off(f.trials, f.trials[i])) {
      warnings.push_back(fmt::format(
          "candidate {} is far off: its loss is more than {:.0f} times that without any column, most of it "
          "at "
          "{}; look for values there that no other client has",
          f.trials[i].name, kFarOff,
          in_quotes(f.reading.clients[f.trials[i].clients[f.worst_client(f.trials[i])].client].name)));
    }
    if (f.trials[i].failed())
      warnings.push_back(fmt::format("candidate {} failed: {}", f.trials[i].name, f.trials[i].error));
    for (const std::string& text : f.trials[i].warnings)
      warnings.push_back(fmt::format("candidate {}: {}", f.trials[i].name, text));
  }
  if (f.choice.chosen && !f.trials.empty() && f.candidates[0].answer == Answer::baseline &&
      !f.trials[0].failed()) {
    const PairedGain over = gain_over(f.chosen_trial(), f.trials[0]);
    // Of one client there is no error.
    if (!(over.mean > (over.clients > 1 ? over.error : 0)))
      warnings.push_back("no column helps: what was chosen predicts no better than " + f.candidates[0].words);
  }
  if (f.choice.chosen && is_exact(f.trials, f.chosen_trial())) {
    warnings.push_back("what was chosen predicts " + in_quotes(f.reading.target) +
                       " without error: is one of the columns made from it? --drop leaves columns out");
  }
  bool grouped = false;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) grouped = grouped || f.clusters_of(i) > 1;
  if (!grouped && f.reading.clients.size() > 1) {
    warnings.push_back(fmt::format("no groups were tried: {} are fewer than two for each group",
                                   counted(f.reading.clients.size(), "client")));
  }
  if (f.cut) {
    warnings.push_back(fmt::format("--minutes ended the contest after {} of {} candidates; the last is {}",
                                   f.trials.size(), f.candidates.size(),
                                   f.trials.empty() ? "none" : f.trials.back().name));
  }
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json gain_json(const PairedGain& gain, double of) {
  return {{"mean", number_or_null(gain.mean)},
          {"error", number_or_null(gain.error)},
          {"share", number_or_null(gain.mean / of)},
          {"share_error", number_or_null(gain.error / of)},
          {"clients", gain.clients},
          {"better", gain.better},
          {"worse", gain.worse}};
}

Json worst_json(const FitFindings& f, const FitTrial& trial) {
  const ClientLoss& worst = trial.clients[f.worst_client(trial)];
  return {{"name", f.reading.clients[worst.client].name},
          {"value", number_or_null(f.shown_loss(worst.loss / worst.rows))}};
}

Json groups_json(const FitFindings& f) {
  const GroupEvidence& e = f.evidence;
  Json groups;
  groups["there_are"] = answer_name(e.there_are);
  const bool none = e.there_are == GroupAnswer::no;
  groups["clusters"] = none ? 1 : e.groups;
  groups["p"] = e.why_none.empty() ? number_or_null(e.p) : Json(nullptr);
  groups["stability"] = e.stability.resamples > 0 ? number_or_null(e.stability.least) : Json(nullptr);
  groups["why"] = e.why;
  groups["members"] = Json::object();
  if (e.groups > 1 && !none) {
    for (std::size_t i = 0; i < e.clients.size(); ++i)
      groups["members"][f.reading.clients[e.clients[i]].name] = e.labels[i];
  }
  groups["evidence"] = evidence_json(e);
  return groups;
}

Json candidates_json(const FitFindings& f) {
  Json all = Json::array();
  const FitTrial* one = f.one_model();
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    const FitTrial& trial = f.trials[i];
    Json j;
    j["name"] = trial.name;
    j["use"] = answer_name(f.answer_of(i));
    j["method"] = f.candidates[i].method;
    j["model"] = f.candidates[i].model;
    j["clusters"] = f.clusters_of(i);
    if (trial.failed()) {
      j["error"] = trial.error;
    } else {
      j["value"] = number_or_null(f.shown_loss(trial.mean_loss()));
      j["loss"] = number_or_null(trial.mean_loss());
      j[f.reading.task == Task::regression ? "mae" : "accuracy"] = number_or_null(trial.mean_figure());
      if (one != nullptr) j["gain"] = gain_json(gain_over(trial, *one), one->mean_loss());
      j["worst_client"] = worst_json(f, trial);
      j["parameters"] = trial.parameters;
    }
    all.push_back(std::move(j));
  }
  return all;
}

Json data_json(const Reading& r) {
  const std::vector<double> rows = r.rows_of_clients();
  Json dropped = Json::object(), missing = Json::object();
  for (const Reading::Dropped& one : r.dropped) dropped[one.column] = one.why;
  for (const Reading::Gap& one : r.gaps) missing[one.column] = one.cells;
  return {{"clients", r.clients.size()},
          {"rows", r.train_rows() + r.test_rows()},
          {"rows_left_out", r.told ? Json(nullptr) : Json(r.rows_left_out)},
          {"train_rows", r.train_rows()},
          {"test_rows", r.test_rows()},
          {"least_rows", rows.empty() ? 0 : rows.front()},
          {"median_rows", rows.empty() ? 0 : (rows[(rows.size() - 1) / 2] + rows[rows.size() / 2]) / 2},
          {"most_rows", rows.empty() ? 0 : rows.back()},
          {"task", r.task == Task::regression ? "regression" : "classification"},
          {"target", r.target},
          {"classes", r.classes},
          {"columns", r.columns},
          {"features", r.features},
          {"dropped", dropped},
          {"missing", missing}};
}

}  // namespace

std::vector<std::string> warnings_of(const FitFindings& findings) {
  std::vector<std::string> warnings;
  warn_of_data(findings, warnings);
  warn_of_groups(findings, warnings);
  warn_of_contest(findings, warnings);
  return warnings;
}

std::string decision_json(const FitFindings& f) {
  Json j;
  j["format"] = "1";
  j["use"] = f.choice.chosen ? Json(answer_name(f.answer_of(*f.choice.chosen))) : Json(nullptr);
  j["groups"] = groups_json(f);
  if (f.choice.chosen) {
    const Candidate& chosen = f.chosen();
    j["candidate"] = chosen.name;
    j["method"] = chosen.method;
    j["model"] = chosen.model;
    j["clusters"] = f.clusters_of(*f.choice.chosen);
    j["metric"] = f.metric();
    j["value"] = number_or_null(f.shown_loss(f.chosen_trial().mean_loss()));
    j["worst_client"] = worst_json(f, f.chosen_trial());
    if (const FitTrial* one = f.one_model())
      j["gain"] = gain_json(gain_over(f.chosen_trial(), *one), one->mean_loss());
    j["best"] = f.candidates[*f.choice.best].name;
    j["test"] = {{"value", number_or_null(f.run.value)}, {"worst_client", number_or_null(f.run.worst)}};
    if (!f.run.error.empty()) j["test"]["error"] = f.run.error;
  }
  j["candidates"] = candidates_json(f);
  j["candidates_planned"] = f.candidates.size();
  j["cut_after"] = f.cut && !f.trials.empty() ? Json(f.trials.back().name) : Json(nullptr);
  j["folds"] = f.folds.count;
  j["data"] = data_json(f.reading);
  j["portrait"] = portrait_json(f.portrait);
  j["warnings"] = f.warnings;
  j["seed"] = f.seed;
  j["run"] = f.choice.chosen ? Json("run") : Json(nullptr);
  return j.dump(2) + "\n";
}

}  // namespace coterie
