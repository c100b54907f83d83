#include "fit/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/excerpt.h"
#include "base/text.h"
#include "fit/sentences.h"
#include "report/number_text.h"

namespace coterie {
namespace {

std::string section(const std::string& title) { return "\n" + title + "\n"; }

// Broken at spaces where it is longer than a terminal is wide; later lines are set in. What a terminal would
// act on is shown as "?".
std::string wrapped(const std::string& line, const std::string& before) {
  constexpr std::size_t kWide = 100;
  const std::string after(before.size() + 2, ' ');
  std::string text, now = before;
  bool empty = true;
  for (const std::string& word : split(excerpt(line, line.size()), ' ')) {
    if (!empty && display_width(now) + 1 + display_width(word) > kWide) {
      text += now + "\n";
      now = after;
      empty = true;
    }
    now += (empty ? "" : " ") + word;
    empty = false;
  }
  return text + now + "\n";
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += wrapped(line, "  ");
  return text;
}

std::string indented(const std::string& block) {
  std::string text;
  for (const std::string& line : split(block, '\n')) {
    if (!line.empty()) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace

TextTable leaderboard(const FitFindings& f, bool seconds) {
  TextTable table;
  const bool regression = f.reading.task == Task::regression;
  table.column("candidate");
  table.column(regression ? "RMSE" : "log loss", Align::right);
  table.column(regression ? "MAE" : "accuracy", Align::right);
  table.column("gain %", Align::right);
  table.column("se", Align::right);
  table.column("win/lose", Align::right);
  table.column("worst", Align::right);
  table.column("numbers", Align::right);
  if (seconds) table.column("sec", Align::right);
  const FitTrial* one = f.one_model();
  for (std::size_t i = 0; i < f.trials.size(); ++i) {
    const FitTrial& trial = f.trials[i];
    const bool strong = f.choice.chosen && *f.choice.chosen == i;
    std::vector<Cell> cells{{f.candidates[i].words, strong}};
    if (trial.failed()) {
      cells.insert(cells.end(), {"failed", "", "", "", "", "", ""});
    } else {
      cells.emplace_back(loss_text(f.shown_loss(trial.mean_loss())), strong);
      cells.emplace_back(regression ? loss_text(trial.mean_figure()) : share_text(trial.mean_figure()));
      const PairedGain gain = one == nullptr ? PairedGain{} : gain_over(trial, *one);
      const bool itself = one == &trial || one == nullptr;
      cells.emplace_back(itself ? "" : points_text(gain.mean / one->mean_loss(), true));
      cells.emplace_back(itself ? "" : points_text(gain.error / one->mean_loss()));
      cells.emplace_back(itself ? "" : fmt::format("{}/{}", gain.better, gain.worse));
      const ClientLoss& worst = trial.clients[f.worst_client(trial)];
      cells.emplace_back(loss_text(f.shown_loss(worst.loss / worst.rows)));
      cells.emplace_back(fmt::format("{:.0f}", trial.parameters));
    }
    if (seconds) cells.emplace_back(fmt::format("{:.1f}", trial.seconds));
    table.row(std::move(cells));
  }
  return table;
}

TextTable portrait_table(const FitFindings& f, std::size_t most) {
  TextTable table;
  const GroupPortrait& p = f.portrait;
  table.column("coefficient");
  for (std::size_t k = 0; k < p.members.size(); ++k)
    table.column(fmt::format("group {} ({})", k + 1, p.members[k]), Align::right);
  table.column("apart", Align::right);
  for (std::size_t i = 0; i < std::min(most, p.coefficients.size()); ++i) {
    const GroupPortrait::Coefficient& one = p.coefficients[i];
    std::vector<Cell> cells{{one.what}};
    for (std::size_t k = 0; k < one.value.size(); ++k) {
      cells.emplace_back(fmt::format("{} [{}, {}]", number_text(one.value[k]), number_text(one.low[k]),
                                     number_text(one.high[k])));
    }
    cells.emplace_back(fmt::format("{:.1f}", one.apart));
    table.row(std::move(cells));
  }
  return table;
}

TextTable calibration_table(const FitFindings& f) {
  TextTable table;
  if (!f.choice.chosen || f.chosen_trial().reliability.empty()) return table;
  table.column("predicted");
  const auto& all = f.chosen_trial().reliability;
  table.column("came true", Align::right);
  for (std::size_t g = 1; g < all.size(); ++g) table.column(fmt::format("group {}", g), Align::right);
  table.column("rows", Align::right);
  for (std::size_t b = 0; b < Reliability::kBins; ++b) {
    if (all[0].rows[b] == 0) continue;
    std::vector<Cell> cells{{share_text(all[0].predicted[b] / all[0].rows[b])}};
    for (const Reliability& one : all)
      cells.emplace_back(one.rows[b] > 0 ? share_text(one.happened[b] / one.rows[b]) : "");
    cells.emplace_back(fmt::format("{:.0f}", all[0].rows[b]));
    table.row(std::move(cells));
  }
  std::vector<Cell> last{{"mean gap"}};
  for (const Reliability& one : all) last.emplace_back(share_text(one.error()));
  last.emplace_back("");
  table.row(std::move(last));
  return table;
}

std::string fit_text(const FitFindings& f, Marks marks) {
  std::string text =
      "What I read\n" + lines_of(reading_lines(f.reading)) + indented(holdings_picture(f.reading));
  text += section("Do clients differ?") + lines_of(differ_lines(f));
  text += section("Groups or a continuum?") + lines_of(continuum_lines(f));
  text += section("What predicts best?") + indented(leaderboard(f, true).text(marks)) +
          lines_of(leaderboard_notes(f));
  if (const auto lines = stability_lines(f); !lines.empty()) text += section("Stability") + lines_of(lines);
  if (f.evidence.groups > 1 && f.evidence.there_are != GroupAnswer::no) {
    text += section("What the groups are") + lines_of(portrait_lines(f));
    if (!f.portrait.coefficients.empty()) text += indented(portrait_table(f, 10).text(marks));
  }
  if (const TextTable table = calibration_table(f); !table.rows.empty())
    text += section("Calibration of " + f.chosen().words) + indented(table.text(marks)) +
            lines_of({calibration_note(f)});
  if (!f.warnings.empty()) {
    text += section("Warnings");
    for (const std::string& warning : f.warnings) text += wrapped(warning, "  - ");
  }
  text += section("In two sentences") + lines_of(two_sentences(f));
  return text;
}

}  // namespace coterie
