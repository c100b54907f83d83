#include "fit/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/text.h"
#include "report/number_text.h"

namespace coterie {
namespace {

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most + 1) return join(names, ", ");  // "and 1 more" is no shorter than its name
  return join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most)}, ", ") +
         fmt::format(" and {} more", names.size() - most);
}

std::string verdict_of(double stability) {
  return stability >= 0.85   ? "highly stable"
         : stability >= 0.75 ? "stable"
         : stability >= 0.6  ? "a pattern only"
                             : "not to be trusted";
}

std::vector<std::size_t> group_sizes(const GroupEvidence& e) {
  std::vector<std::size_t> sizes;
  for (const std::uint32_t label : e.labels) {
    if (sizes.size() <= label) sizes.resize(label + 1, 0);
    ++sizes[label];
  }
  return sizes;
}

std::string said_of(const GroupEvidence& e) {
  return e.there_are == GroupAnswer::yes ? "Yes" : e.there_are == GroupAnswer::no ? "No" : "Cannot tell";
}

std::string loss_name(const FitFindings& f) {
  return f.reading.task == Task::regression ? "squared error" : "log loss";
}

// What is chosen, and what it gains over one model: of the first kind, and of its own kind, so that a gain of
// a network is not taken for a gain of groups.
std::string use_sentence(const FitFindings& f) {
  const FitTrial* one = f.one_model();
  if (one == nullptr || one == &f.chosen_trial())
    return fmt::format("Use {}: nothing more complex predicts clearly better.", f.chosen().words);
  const PairedGain gain = gain_over(f.chosen_trial(), *one);
  const auto over = [](const PairedGain& g, const FitTrial& of) {
    return fmt::format("{} {}", share_text(std::abs(g.mean) / of.mean_loss()),
                       g.mean < 0 ? "higher" : "lower");
  };
  const auto error = [](const PairedGain& g, const FitTrial& of) {
    return fmt::format("(standard error {}; {} of {} clients gain)", share_text(g.error / of.mean_loss()),
                       g.better, g.clients);
  };
  const FitTrial* kin = f.one_of_the_chosen_kind();
  std::string text =
      fmt::format("Use {}: its {} is {} than that of one {}model {}", f.chosen().words, loss_name(f),
                  over(gain, *one), kin != nullptr ? f.plain_kind() + " " : "", error(gain, *one));
  if (kin != nullptr && kin != &f.chosen_trial()) {
    const PairedGain own = gain_over(f.chosen_trial(), *kin);
    text += fmt::format(", and {} than that of one {} model {}", over(own, *kin), f.chosen().model,
                        error(own, *kin));
  }
  if (gain.mean > 0 && gain.mean < 2 * gain.error)
    text += ". A gain of less than two standard errors may be chance";
  return text + ".";
}

}  // namespace

std::string share_text(double share) { return std::isfinite(share) ? percent_text(share, 1) + " %" : "-"; }

std::string points_text(double share, bool with_sign) {
  if (std::isfinite(share) && std::abs(share) >= 100)
    return with_sign ? fmt::format("{:+.1e}", 100 * share) : fmt::format("{:.1e}", 100 * share);
  if (!with_sign || !std::isfinite(share)) return percent_text(share, 1);
  return fmt::format("{:+.1f}", 100 * share + 0.0);
}

std::string loss_text(double loss) {
  const bool plain = loss == 0 || (std::abs(loss) >= 0.001 && std::abs(loss) < 1000);
  return plain && std::isfinite(loss) ? fmt::format("{:#.4g}", loss) : number_text(loss);
}

std::vector<std::string> reading_lines(const Reading& r) {
  std::vector<std::string> lines;
  const std::vector<double> rows = r.rows_of_clients();
  const double median = median_of(rows);
  lines.push_back(fmt::format(
      "{}: {}, {} ({} to {} a client, median {})", std::filesystem::path(r.file).filename().string(),
      counted(r.clients.size(), "client"), counted(r.train_rows() + r.test_rows(), "row"),
      number_text(rows.front()), number_text(rows.back()), number_text(median)));
  lines.push_back(fmt::format("{} to learn from; {} set aside as test rows", counted(r.train_rows(), "row"),
                              r.test_rows()));
  if (r.task == Task::regression) {
    lines.push_back(fmt::format("predicts numbers: {}", r.target));
  } else {
    std::vector<double> counts(r.classes.size(), 0);
    for (const Reading::Client& client : r.clients) {
      for (std::size_t k = 0; k < client.classes.size(); ++k) counts[k] += client.classes[k];
    }
    std::vector<std::string> parts;
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t k = 0; k < counts.size() && all > 0; ++k)
      parts.push_back(fmt::format("{} {:.0f} %", r.classes[k], 100 * counts[k] / all));
    lines.push_back(fmt::format("predicts classes: {} ({})", r.target, listed(parts, 8)));
  }
  lines.push_back(fmt::format("{} become {}: {}", counted(r.columns.size(), "column"),
                              counted(r.features, "feature"), listed(r.columns, 12)));
  for (const Reading::Dropped& one : r.dropped)
    lines.push_back(fmt::format("not a feature: {} ({})", one.column, one.why));
  if (r.told) {
    lines.push_back(
        "as clients told it: not known here are rows without a target, columns that a client took for "
        "identifiers, and values that never change at a client");
    for (const std::string& note : r.notes) lines.push_back(note);
  }
  if (r.rows_left_out > 0)
    lines.push_back(counted(r.rows_left_out, "row") + " without a target or a usable client left out");
  if (r.gaps.empty()) {
    lines.push_back("no value is missing");
  } else {
    std::vector<std::string> parts;
    const auto all = static_cast<double>(r.rows);
    for (const Reading::Gap& gap : r.gaps)
      parts.push_back(fmt::format("{} {:.1f} %", gap.column, 100 * static_cast<double>(gap.cells) / all));
    lines.push_back("missing: " + listed(parts, 10));
  }
  return lines;
}

std::vector<std::string> differ_lines(const FitFindings& f) {
  const GroupEvidence& e = f.evidence;
  if (!e.why_none.empty()) return {e.why_none + ": only the contest below speaks"};
  const Homogeneity& h = e.homogeneity;
  std::vector<std::string> lines;
  if (e.clients.size() < 2) return {"too few clients have enough rows to compare their coefficients"};
  const bool least = h.replicates > 0 && h.p * static_cast<double>(h.replicates + 1) < 1.5;
  lines.push_back(fmt::format(
      "{} ({}{}; {} by the chi-squared distribution)",
      h.p <= 0.05 ? "Yes: their coefficients differ by more than noise"
                  : "No sign of it: noise alone makes coefficients differ as much",
      p_text(h.p), least ? fmt::format(", the least that {} replicates can give", h.replicates) : "",
      p_text(h.p_chi2)));
  lines.push_back(
      fmt::format("test of slope homogeneity: Q = {:.1f} with {:.0f} degrees of freedom, over {} and {}; "
                  "sandwich variances; {} replicates by clients' own residuals",
                  h.statistic, h.freedom, counted(e.clients.size(), "client"),
                  counted(e.width, "coefficient"), h.replicates));
  if (h.p <= 0.05) {
    lines.push_back(fmt::format("{:.0f} % of the coefficients' spread over clients is more than noise",
                                100 * h.spread_share));
  }
  return lines;
}

std::vector<std::string> continuum_lines(const FitFindings& f) {
  const GroupEvidence& e = f.evidence;
  if (!e.why_none.empty()) return {"cannot tell: " + e.why_none};
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {}", said_of(e), e.why));
  for (const GroupStep& step : e.steps) {
    lines.push_back(fmt::format(
        "test of {} against {}: likelihood ratio {:.1f}{}, {} by {} resamples{}: {}",
        counted(step.groups, "group"), step.groups + 1, step.statistic,
        step.statistic < 0 ? " (below 0: the search met no better fit)" : "", p_text(step.p), step.resamples,
        step.stopped_early ? ", enough to see" : "",
        counted(step.groups, "group") + (step.rejected
                                             ? step.groups == 1 ? " does not suffice" : " do not suffice"
                                         : step.groups == 1 ? " suffices"
                                                            : " suffice")));
  }
  if (e.groups > 1) {
    std::vector<std::string> sizes;
    for (const std::size_t size : group_sizes(e)) sizes.push_back(std::to_string(size));
    lines.push_back(
        fmt::format("{} by the test, with {} clients", counted(e.groups, "group"), join(sizes, ", ")));
  }
  return lines;
}

std::vector<std::string> leaderboard_notes(const FitFindings& f) {
  const std::string loss = loss_name(f);
  std::vector<std::string> notes;
  notes.push_back(
      f.folds.in_time
          ? fmt::format("Every client's training rows are cut into {} stretches of time; each but the first "
                        "is predicted by models of the rows before it.",
                        f.folds.count + 1)
          : fmt::format("Every training row is predicted once, by models that have not seen it ({} folds "
                        "inside every client).",
                        f.folds.count));
  notes.push_back(fmt::format(
      "gain: how much lower the {} is than that of one model, and its standard error over clients (se); "
      "win/lose: clients with a lower and a higher loss; worst: the client with the highest loss; numbers: "
      "how many the rows decide, over all clients.",
      loss));
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    if (!f.trials[i].failed() && f.trials[i].knows_truth)
      notes.push_back(f.candidates[i].words + " is told the true groups: it is listed, and never chosen.");
  }
  if (f.choice.best) {
    const bool itself = *f.choice.best == *f.choice.chosen;
    notes.push_back(
        itself ? fmt::format("Chosen: {}. It predicts best{}.", f.chosen().words,
                             &f.chosen_trial() == f.one_model()
                                 ? ""
                                 : ", and nothing above it in the list comes within one standard error")
               : fmt::format("Chosen: {}, the first in the list within one standard error of what predicts "
                             "best ({}).",
                             f.chosen().words, f.candidates[*f.choice.best].words));
  }
  if (f.choice.chosen && f.run.finished && std::isfinite(f.run.value)) {
    notes.push_back(fmt::format("On the test rows, which had no say in the choice: {} {} (worst client {}).",
                                f.reading.task == Task::regression ? "RMSE" : "log loss",
                                loss_text(f.run.value), loss_text(f.run.worst)));
  }
  return notes;
}

std::vector<std::string> stability_lines(const FitFindings& f) {
  const Stability& s = f.evidence.stability;
  if (s.resamples == 0) return {};
  std::vector<std::string> lines;
  if (f.evidence.groups < 2) {
    return {
        fmt::format("the test finds no groups; the best cut into two has a stability of {}: {} (1: always "
                    "found again; 0: "
                    "as groups that are cut out of a continuum)",
                    s.least < 0 ? "less than 0" : fmt::format("{:.2f}", s.least), verdict_of(s.least))};
  }
  const std::vector<std::size_t> sizes = group_sizes(f.evidence);
  for (std::size_t k = 0; k < s.stability.size(); ++k) {
    lines.push_back(fmt::format(
        "group {} ({}): found again with Jaccard {:.2f}, where groups cut out of a continuum have "
        "{:.2f}: stability {:.2f}, {}",
        k + 1, counted(k < sizes.size() ? sizes[k] : 0, "client"), s.jaccard[k], s.by_chance, s.stability[k],
        verdict_of(s.stability[k])));
  }
  lines.push_back(fmt::format(
      "{} resamples of rows inside clients; as many groups came out in {:.0f} % of them; a client is in "
      "its group in {:.0f} % (median)",
      s.resamples, 100 * s.same_count, 100 * median_of(s.client_share)));
  std::vector<std::string> shaky;
  for (std::size_t i = 0; i < s.client_share.size(); ++i) {
    if (s.client_share[i] < 0.75) shaky.push_back(f.reading.clients[f.evidence.clients[i]].name);
  }
  if (!shaky.empty() && f.evidence.groups > 1)
    lines.push_back(fmt::format("{} in their group in fewer than 75 %: {}", counted(shaky.size(), "client"),
                                listed(shaky, 8)));
  return lines;
}

std::vector<std::string> portrait_lines(const FitFindings& f) {
  const GroupPortrait& p = f.portrait;
  std::vector<std::string> lines;
  if (!p.why_none.empty()) {
    lines.push_back("no coefficients: " + p.why_none);
  } else {
    lines.push_back(fmt::format(
        "{}; with 95 % intervals; groups formed by one half of the rows, measured on the other "
        "(adjusted Rand index with the groups of all rows: {:.2f}); apart: the largest difference over its "
        "standard error",
        p.unit, p.agreement));
    if (p.agreement < 0.9) {
      lines.emplace_back(
          "some clients are in another group by half of their rows: differences between groups come out too "
          "small");
    }
  }
  for (const GroupPortrait::Association& one : p.associations) {
    lines.push_back(fmt::format("{} against groups: {} {:.2f}, {} over {} (permutation)", one.column,
                                one.measure == "V" ? "Cramer's V" : "eta squared", one.strength,
                                p_text(one.p), counted(one.clients, "client")));
  }
  return lines;
}

std::string calibration_note(const FitFindings& f) {
  const std::vector<std::string>& classes = f.reading.classes;
  return (classes.size() == 2 ? fmt::format("Of {} = {}, on held-out rows", f.reading.target, classes[1])
                              : std::string("Of every class against the others, on held-out rows")) +
         ": the probability that was predicted, and the share of rows where it came true.";
}

std::vector<std::string> two_sentences(const FitFindings& f) {
  std::vector<std::string> lines;
  if (!f.choice.chosen) {
    lines.emplace_back("Use: nothing; every candidate failed.");
  } else {
    lines.push_back(use_sentence(f));
  }
  const GroupEvidence& e = f.evidence;
  std::string groups =
      fmt::format("Are there groups? {}: {}",
                  e.there_are == GroupAnswer::yes ? fmt::format("Yes, {}", e.groups) : said_of(e), e.why);
  const std::size_t in_use = f.choice.chosen ? f.clusters_of(*f.choice.chosen) : 1;
  if (e.there_are != GroupAnswer::yes && in_use > 1) {
    groups +=
        fmt::format("; the {} groups in use predict better than one model, but {} separate kinds of clients",
                    in_use, e.there_are == GroupAnswer::no ? "are not" : "need not be");
  }
  lines.push_back(groups + ".");
  return lines;
}

}  // namespace coterie
