#include "fit/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "fit/sentences.h"
#include "fit/text.h"
#include "report/chart.h"
#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostClients = 60;       // drawn one by one
constexpr std::size_t kMostCoefficients = 14;  // drawn

// A table whose cells are HTML already; numbers to the right.
class HtmlRows {
 public:
  explicit HtmlRows(std::vector<std::pair<std::string, bool>> columns) : columns_(std::move(columns)) {
    html_ = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const auto& [header, right] : columns_)
      html_ += (right ? "<th class=\"right\">" : "<th>") + escape_html(header) + "</th>";
    html_ += "</tr></thead>\n<tbody>\n";
  }
  void row(const std::vector<std::string>& cells, bool strong = false) {
    html_ += "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c) {
      html_ += (columns_[c].second ? "<td class=\"right\">" : "<td>") +
               (strong ? "<b>" + cells[c] + "</b>" : cells[c]) + "</td>";
    }
    html_ += "</tr>\n";
  }
  std::string html() const { return html_ + "</tbody>\n</table></div>\n"; }

 private:
  std::vector<std::pair<std::string, bool>> columns_;
  std::string html_;
};

std::string paragraphs(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) html += "<p>" + escape_html(line) + "</p>\n";
  return html.empty() ? "" : "<div class=\"lines\">" + html + "</div>\n";
}

// --- small pictures inside table cells, all on one scale ---------------------------------------------------

class Scale {
 public:
  static constexpr double kWidth = 170, kHeight = 16;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double at(double value) const {
    const double span = high_ > low_ ? high_ - low_ : 1;
    return 6 + (kWidth - 12) * (std::clamp(value, low_, high_) - low_) / span;
  }
  // Zero as a line, then an interval, where it is known, with its middle.
  std::string interval(double value, double low, double high, const std::string& colour) const {
    std::string svg = fmt::format(
        "<svg width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\"><line class=\"axis\" x1=\"{2:.1f}\" "
        "x2=\"{2:.1f}\" y1=\"0\" "
        "y2=\"{1:.0f}\" stroke=\"var(--axis)\"/>",
        kWidth, kHeight, at(0));
    if (std::isfinite(value)) {
      svg += fmt::format(
          "<g class=\"{}\"><line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\" stroke=\"var(--c)\" "
          "stroke-width=\"2\"/>"
          "<circle cx=\"{:.1f}\" cy=\"8\" r=\"4\" fill=\"var(--c)\"/></g>",
          colour, at(std::isfinite(low) ? low : value), at(std::isfinite(high) ? high : value), at(value));
    }
    return svg + "</svg>";
  }

 private:
  double low_ = 0, high_ = 0;
};

std::string bar_of(double share, const std::string& colour, double length) {
  return fmt::format(
      "<svg width=\"{:.0f}\" height=\"12\" role=\"img\"><rect class=\"{}\" fill=\"var(--c)\" x=\"0\" y=\"1\" "
      "rx=\"2\" width=\"{:.1f}\" "
      "height=\"10\"/></svg>",
      length, colour, std::max(1.5, length * share));
}

// The class mix of a client in one bar.
std::string mix_of(const std::vector<double>& counts, double length) {
  double all = 0, from = 0;
  for (const double n : counts) all += n;
  std::string svg = fmt::format("<svg width=\"{:.0f}\" height=\"12\" role=\"img\">", length);
  for (std::size_t k = 0; k < counts.size() && all > 0; ++k) {
    svg += fmt::format(
        "<rect class=\"{}\" fill=\"var(--c)\" x=\"{:.1f}\" y=\"1\" width=\"{:.1f}\" height=\"10\"/>",
        colour_class(k), length * from / all, length * counts[k] / all);
    from += counts[k];
  }
  return svg + "</svg>";
}

std::string legend_of(const std::vector<std::string>& names) {
  std::string html = "<div class=\"legend\">";
  for (std::size_t k = 0; k < names.size(); ++k)
    html += "<span><span class=\"key " + colour_class(k) + "\"></span>" + escape_html(names[k]) + "</span>";
  return html + "</div>\n";
}

// --- the cards ---------------------------------------------------------------------------------------------

std::string tile(const std::string& what, const std::string& value, const std::string& more) {
  return "<div class=\"tile\"><div class=\"what\">" + escape_html(what) +
         "</div><div class=\"value\" style=\"white-space:normal\">" + escape_html(value) +
         "</div><div class=\"more\">" + escape_html(more) + "</div></div>\n";
}

std::string few_words(Answer answer, std::size_t clusters) {
  switch (answer) {
    case Answer::baseline:
      return "no model";
    case Answer::one_model:
      return "one model";
    case Answer::shrink:
      return "partial pooling";
    case Answer::clusters:
      return counted(clusters, "group");
    case Answer::clusters_shrink:
      return counted(clusters, "group") + ", pooled";
    case Answer::local:
      return "each alone";
  }
  return "";
}

std::string gain_tile(const FitFindings& f, const FitTrial& one, const std::string& what) {
  const PairedGain gain = gain_over(f.chosen_trial(), one);
  return tile(what, share_text(gain.mean / one.mean_loss()),
              fmt::format("standard error {}; {} of {} clients gain",
                          points_text(gain.error / one.mean_loss()), gain.better, gain.clients));
}

std::string answers(const FitFindings& f) {
  const GroupEvidence& e = f.evidence;
  std::string html = "<div class=\"tiles\">\n";
  if (f.choice.chosen) {
    html += tile("use", few_words(f.answer_of(*f.choice.chosen), f.clusters_of(*f.choice.chosen)),
                 f.chosen().words);
    const FitTrial* one = f.one_model();
    const FitTrial* kin = f.one_of_the_chosen_kind();
    if (one != nullptr && one != &f.chosen_trial())
      html +=
          gain_tile(f, *one, "less loss than one " + (kin == nullptr ? "" : f.plain_kind() + " ") + "model");
    if (kin != nullptr && kin != &f.chosen_trial())
      html += gain_tile(f, *kin, "less loss than one " + f.chosen().model + " model");
  }
  html += tile("are there groups?",
               e.there_are == GroupAnswer::yes      ? fmt::format("yes, {}", e.groups)
               : e.there_are == GroupAnswer::unsure ? "cannot tell"
                                                    : "no",
               "");
  if (e.why_none.empty() && !e.steps.empty())
    html += tile("one group against two",
                 fmt::format("p {}", e.p < 0.001 ? "< 0.001" : fmt::format("= {:.3f}", e.p)),
                 fmt::format("{} resamples", e.steps.front().resamples));
  if (e.stability.resamples > 0 && e.groups > 1)
    html += tile("stability", fmt::format("{:.2f}", e.stability.least), "of the least stable group");
  return html + "</div>\n" + html_card("In two sentences", paragraphs(two_sentences(f)));
}

std::string holdings(const Reading& r) {
  const std::vector<double> rows = r.rows_of_clients();
  const bool classes = r.task == Task::classification;
  constexpr std::size_t kOneColumn = 16;
  const std::size_t shown = std::min(kMostClients, r.clients.size()), half = (shown + 1) / 2;
  // Two tables beside each other have less room.
  const bool narrow = shown > kOneColumn;
  const double bar = narrow ? 60 : 140;
  const auto table_of = [&](std::size_t from, std::size_t to) {
    HtmlRows table({{"client", false},
                    {"rows", true},
                    {"", false},
                    {classes  ? r.target
                     : narrow ? "mean"
                              : "mean of " + r.target,
                     !classes},
                    {classes ? "" : "sd", !classes}});
    for (std::size_t i = from; i < to; ++i) {
      const Reading::Client& client = r.clients[i];
      const auto own = static_cast<double>(client.train + client.test);
      table.row({escape_html(client.name), fmt::format("{:.0f}", own), bar_of(own / rows.back(), "c0", bar),
                 classes ? mix_of(client.classes, bar) : number_text(client.mean),
                 classes ? "" : number_text(client.deviation)});
    }
    return table.html();
  };
  std::string html = classes  ? legend_of(r.classes)
                     : narrow ? html_note("Mean and sd of " + r.target + ".")
                              : "";
  html += shown <= kOneColumn
              ? table_of(0, shown)
              : html_pair("<div class=\"stack\">" + table_of(0, half) + "</div>\n<div class=\"stack\">" +
                          table_of(half, shown) + "</div>\n");
  if (r.clients.size() > kMostClients)
    html += html_note(fmt::format("{} more clients are not drawn", r.clients.size() - kMostClients));
  return "<details" + std::string(r.clients.size() <= kMostClients ? " open" : "") +
         "><summary>Who holds what</summary>\n" + html + "</details>\n";
}

std::string contest(const FitFindings& f) {
  const FitTrial* one = f.one_model();
  Scale scale;
  std::vector<PairedGain> gains;
  for (const FitTrial& trial : f.trials) {
    gains.push_back(one == nullptr || trial.failed() ? PairedGain{} : gain_over(trial, *one));
  }
  // A baseline far away would squeeze all others, and so would a candidate that is far off.
  const double least = one == nullptr ? 0 : -2 * one->mean_loss();
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    if (f.trials[i].failed() || f.candidates[i].answer == Answer::baseline) continue;
    if (gains[i].mean < least) continue;
    scale.take(gains[i].mean);
    scale.take(std::max(least, gains[i].mean - gains[i].error));
    scale.take(gains[i].mean + gains[i].error);
  }
  const bool regression = f.reading.task == Task::regression;
  HtmlRows table({{"candidate", false},
                  {"gain %", true},
                  {"se", true},
                  {"gain over one model", false},
                  {"win / lose", true},
                  {regression ? "RMSE" : "log loss", true},
                  {regression ? "MAE" : "accuracy %", true},
                  {"worst", true},
                  {"numbers", true}});
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    const FitTrial& trial = f.trials[i];
    const bool chosen = f.choice.chosen && *f.choice.chosen == i;
    if (trial.failed()) {
      table.row(
          {escape_html(f.candidates[i].words), "failed", "", escape_html(trial.error), "", "", "", "", ""});
      continue;
    }
    const ClientLoss& worst = trial.clients[f.worst_client(trial)];
    const bool itself = one == nullptr || one == &trial;
    const bool off = f.candidates[i].answer == Answer::baseline;
    table.row({escape_html(f.candidates[i].words),
               itself ? "" : points_text(gains[i].mean / one->mean_loss(), true),
               itself ? "" : points_text(gains[i].error / one->mean_loss()),
               off ? ""
                   : scale.interval(itself ? 0 : gains[i].mean, gains[i].mean - gains[i].error,
                                    gains[i].mean + gains[i].error, chosen ? "c2" : "c0"),
               itself ? "" : fmt::format("{} / {}", gains[i].better, gains[i].worse),
               loss_text(f.shown_loss(trial.mean_loss())),
               regression ? loss_text(trial.mean_figure()) : percent_text(trial.mean_figure(), 1),
               loss_text(f.shown_loss(worst.loss / worst.rows)), fmt::format("{:.0f}", trial.parameters)},
              chosen);
  }
  std::string html = table.html();
  for (const std::string& line : leaderboard_notes(f)) html += html_note(line);
  html += html_note("Points: gains; bars: one standard error to each side; the upright line: no gain.");
  if (f.choice.chosen && f.run.finished)
    html += "<p class=\"note\"><a href=\"run/report.html\">The report of the chosen run</a></p>\n";
  return html;
}

std::string members(const FitFindings& f) {
  const GroupEvidence& e = f.evidence;
  if (e.groups < 2 || e.labels.empty()) return "";
  std::string html;
  const std::size_t groups = 1 + *std::max_element(e.labels.begin(), e.labels.end());
  for (std::uint32_t k = 0; k < groups; ++k) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < e.labels.size(); ++i) {
      if (e.labels[i] == k) own.push_back(i);
    }
    const auto share = [&](std::size_t i) {
      return i < e.stability.client_share.size() ? e.stability.client_share[i] : e.sure[i];
    };
    std::stable_sort(own.begin(), own.end(),
                     [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
    std::vector<std::string> names;
    constexpr std::size_t kNamed = 100;
    for (const std::size_t i : own) {
      if (names.size() == kNamed) break;
      names.push_back(fmt::format("<span title=\"in this group in {:.0f} % of resamples\"{}>{}</span>",
                                  100 * share(i), share(i) < 0.75 ? " style=\"color:var(--muted)\"" : "",
                                  escape_html(f.reading.clients[e.clients[i]].name)));
    }
    if (own.size() > kNamed) names.push_back(fmt::format("<span>and {} more</span>", own.size() - kNamed));
    html += fmt::format(
        "<p><span class=\"key {}\"></span><b>group {}</b>, {}{}</p>\n<div class=\"chips\">{}</div>\n",
        colour_class(k), k + 1, counted(own.size(), "client"),
        k < e.stability.stability.size() ? fmt::format(", stability {:.2f}", e.stability.stability[k]) : "",
        join(names, ""));
  }
  return html +
         html_note("Members: the least sure last; grey: in their group in fewer than 75 % of the resamples.");
}

std::string portrait_card(const FitFindings& f) {
  const GroupPortrait& p = f.portrait;
  std::string html = paragraphs(portrait_lines(f));
  if (p.coefficients.empty()) return html;
  Scale scale;
  const std::size_t shown = std::min(kMostCoefficients, p.coefficients.size());
  for (std::size_t i = 0; i < shown; ++i) {
    for (std::size_t k = 0; k < p.coefficients[i].value.size(); ++k) {
      scale.take(p.coefficients[i].low[k]);
      scale.take(p.coefficients[i].high[k]);
    }
  }
  HtmlRows table({{"coefficient", false},
                  {"group", true},
                  {"", false},
                  {"value", true},
                  {"95 % interval", true},
                  {"apart", true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const GroupPortrait::Coefficient& one = p.coefficients[i];
    for (std::size_t k = 0; k < one.value.size(); ++k) {
      table.row({k == 0 ? escape_html(one.what) : "",
                 fmt::format("<span class=\"key {}\"></span>{}", colour_class(k), k + 1),
                 scale.interval(one.value[k], one.low[k], one.high[k], colour_class(k)),
                 number_text(one.value[k]),
                 fmt::format("{} to {}", number_text(one.low[k]), number_text(one.high[k])),
                 k == 0 ? fmt::format("{:.1f}", one.apart) : ""});
    }
  }
  return html + table.html() +
         (p.coefficients.size() > shown ? html_note(fmt::format("{} more coefficients are in decision.json",
                                                                p.coefficients.size() - shown))
                                        : "");
}

std::string calibration(const FitFindings& f) {
  if (!f.choice.chosen || f.chosen_trial().reliability.empty()) return "";
  const auto& all = f.chosen_trial().reliability;
  const auto curve_of = [](const Reliability& one, const std::string& name) {
    Curve curve{name, {}};
    for (std::size_t b = 0; b < Reliability::kBins; ++b) {
      if (one.rows[b] >= 20)
        curve.points.emplace_back(one.predicted[b] / one.rows[b], one.happened[b] / one.rows[b]);
    }
    return curve;
  };
  // Groups first: they have their colours in the whole page.
  std::vector<Curve> curves;
  for (std::size_t g = 1; g < all.size(); ++g) curves.push_back(curve_of(all[g], fmt::format("group {}", g)));
  curves.push_back(curve_of(all[0], "all clients"));
  curves.push_back({.name = "", .points = {{0.0, 0.0}, {1.0, 1.0}}, .band = {}, .guide = true});
  ChartFrame frame;
  frame.x_label = "predicted probability";
  frame.x_step = 0.2;
  frame.y_label = "came true";
  frame.low = 0;
  frame.high = 1;
  return html_pair("<div class=\"stack\">" + line_chart(curves, frame) + "</div>\n<div class=\"stack\">" +
                   html_table(calibration_table(f)) + "</div>\n") +
         html_note(calibration_note(f) + " Points of fewer than 20 rows are not drawn.");
}

std::string listing(const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string html = "<ul>";
  for (const std::string& item : items) html += "<li>" + escape_html(item) + "</li>\n";
  return html + "</ul>\n";
}

}  // namespace

std::string fit_page(const FitFindings& f) {
  const Reading& r = f.reading;
  std::string body = answers(f);
  body += html_card("What I read", paragraphs(reading_lines(r)) + holdings(r));
  body += "<div class=\"pair\">" + html_card("Do clients differ?", paragraphs(differ_lines(f))) +
          html_card("Groups or a continuum?", paragraphs(continuum_lines(f))) + "</div>\n";
  body += html_card("What predicts best?", contest(f));
  if (const auto lines = stability_lines(f); !lines.empty())
    body += html_card("Stability", paragraphs(lines) + members(f));
  if (f.evidence.groups > 1 && f.evidence.there_are != GroupAnswer::no)
    body += html_card("What the groups are", portrait_card(f));
  body += html_card("Calibration", calibration(f));
  body += html_card("Warnings", listing(f.warnings));
  return html_page("Fit of " + std::filesystem::path(r.file).filename().string(),
                   fmt::format("{} predicted for {} clients; seed {}", r.target, r.clients.size(), f.seed),
                   body);
}

}  // namespace coterie
