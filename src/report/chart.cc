#include "report/chart.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr ChartSize kSize;
constexpr std::size_t kMostPoints = 300;  // of a curve: more cannot be told apart
constexpr std::size_t kMostDots = 30;     // a curve of more points shows them only under the pointer

struct Plot {
  std::size_t drawn = 0;
  Axis x;
  Axis y;
  std::optional<double> clip;  // values above it are off the chart
};

// What the curves reach; nothing to see when there is no second x.
std::optional<Plot> plot_of(const std::vector<Curve>& curves, const ChartFrame& frame) {
  constexpr double kClipFactor = 100;
  Plot plot;
  Extent xs;
  Extent ys;
  double first = 0;
  for (const Curve& curve : curves) {
    if (curve.points.empty()) continue;
    plot.drawn += curve.guide ? 0 : 1;
    first = std::max(first, curve.points.front().second);
    for (auto [x, y] : curve.points) {
      xs.add(x);
      ys.add(y);
    }
    for (auto [low, high] : curve.band) {
      ys.add(low);
      ys.add(high);
    }
  }
  if (plot.drawn == 0 || xs.low == xs.high) return std::nullopt;
  if (frame.until) xs.add(*frame.until);
  if (frame.clips && first > 0 && ys.high > kClipFactor * first) {
    plot.clip = kClipFactor * first;
    ys.high = *plot.clip;
  }
  plot.x = Axis{xs.low, std::max(xs.high, xs.low + 1), kSize.left, kSize.width - kSize.right, false, {}};
  for (double mark : ticks(plot.x.low, plot.x.high, 7, frame.x_step)) {
    if (mark >= plot.x.low && mark <= plot.x.high) plot.x.marks.push_back(mark);
  }
  const double bottom = kSize.height - kSize.bottom;
  const bool log = frame.may_be_log && ys.low > 0 && (plot.clip || ys.high > 100 * ys.low);
  plot.y = log ? decades_axis(ys, bottom, kSize.top)
               : plain_axis(ys, bottom, kSize.top, frame.low, plot.clip ? plot.clip : frame.high);
  plot.x.from = std::max(plot.x.from, room_for_marks(plot.y));
  if (plot.clip) plot.clip = plot.y.high;
  return plot;
}

// Every n-th point, and the last; indices.
std::vector<std::size_t> thinned(std::size_t count) {
  std::size_t step = std::max<std::size_t>(1, (count + kMostPoints - 1) / kMostPoints);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < count; i += step) kept.push_back(i);
  if ((count - 1) % step != 0) kept.push_back(count - 1);
  return kept;
}

std::string band_svg(const Curve& curve, const std::vector<std::size_t>& kept, const Plot& plot) {
  if (curve.band.size() != curve.points.size() || kept.size() < 2) return "";
  std::string above;
  std::string below;
  for (std::size_t i : kept) {
    const double x = plot.x.place(curve.points[i].first);
    above += fmt::format("{:.1f},{:.1f} ", x, plot.y.place(curve.band[i].second));
    below = fmt::format("{:.1f},{:.1f} ", x, plot.y.place(curve.band[i].first)) + below;
  }
  return fmt::format(R"(<polygon class="band" points="{}"/>)", trim(above + below));
}

std::string curve_svg(const Curve& curve, std::size_t number, const Plot& plot, const ChartFrame& frame) {
  const std::vector<std::size_t> kept = thinned(curve.points.size());
  const bool level = kept.size() == 1;
  std::string line;
  std::string dots;
  for (std::size_t i : kept) {
    auto [px, py] = curve.points[i];
    const double x = plot.x.place(px);
    const double y = plot.y.place(py);
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x, y);
    std::string range;
    if (curve.band.size() == curve.points.size())
      range = fmt::format(" ({} to {})", number_text(curve.band[i].first), number_text(curve.band[i].second));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3"><title>{}, {} {}: {}{}</title></circle>)", x,
                        y, escape_html(curve.name), escape_html(frame.x_label), number_text(px),
                        number_text(py), range);
    if (plot.clip && py > *plot.clip)
      dots += fmt::format(R"(<path class="clipped" d="M{:.1f} {:.1f}l4 7h-8z"/>)", x, kSize.top - 7);
  }
  if (curve.guide) return fmt::format(R"(<polyline class="guide" points="{}"/>)", line);
  if (level) line += fmt::format(" {:.1f},{:.1f}", plot.x.to, plot.y.place(curve.points.front().second));
  return fmt::format(R"(<g class="curve {}{}{}">{}<polyline points="{}"/>{}</g>)", colour_class(number),
                     kept.size() > kMostDots ? " many" : "", level ? " level" : "",
                     band_svg(curve, kept, plot), line, dots);
}

struct LegendEntry {
  std::size_t number;
  std::string name;
};

std::vector<LegendEntry> legend_of(const std::vector<Curve>& curves, const ChartFrame& frame) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].points.empty() || curves[i].guide) continue;
    std::string name = curves[i].name;
    if (curves[i].points.size() == 1) name += " (one " + frame.x_label + ")";
    // The later curve covers the earlier one.
    for (std::size_t j = 0; j < i; ++j) {
      if (curves[j].points != curves[i].points) continue;
      name += " (covers " + curves[j].name + ")";
      break;
    }
    entries.push_back({i, std::move(name)});
  }
  return entries;
}

// What the chart does not show.
std::vector<std::string> notes_of(const std::vector<Curve>& curves, const Plot& plot,
                                  const ChartFrame& frame) {
  constexpr std::size_t kMostNotes = 4;
  std::vector<std::string> notes;
  for (const Curve& curve : curves) {
    if (curve.points.size() < 2 || curve.guide) continue;
    const auto beyond = std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& point) {
      return plot.clip && point.second > *plot.clip;
    });
    if (beyond != curve.points.end()) {
      const auto most = std::max_element(curve.points.begin(), curve.points.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      notes.push_back(fmt::format("{} leaves the chart in {} {} and reaches {}.", curve.name, frame.x_label,
                                  number_text(beyond->first), number_text(most->second)));
    }
    if (frame.until && curve.points.back().first < *frame.until) {
      notes.push_back(fmt::format("{} has no finite value after {} {}.", curve.name, frame.x_label,
                                  number_text(curve.points.back().first)));
    }
  }
  if (notes.size() > kMostNotes) {
    const std::size_t more = notes.size() - kMostNotes;
    notes.resize(kMostNotes);
    notes.push_back(fmt::format("The same holds for {} more.", more));
  }
  return notes;
}

std::string drawing(const std::vector<Curve>& curves, const Plot& plot, const ChartFrame& frame) {
  std::string svg = axes_svg(plot.x, plot.y, frame.x_label, frame.y_label, kSize);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves[i].points.empty()) svg += curve_svg(curves[i], i, plot, frame);
  }
  return svg;
}

// The part of the page's style sheet that charts need, in its light colours.
constexpr const char* kFileStyle =
    "text{font:12px sans-serif;fill:#52514e}.grid{stroke:#e4e3dc}.axis{stroke:#bdbcb2}"
    ".curve polyline{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}"
    ".curve.again polyline{stroke-dasharray:5 4}.curve.level polyline{stroke-dasharray:2 5}"
    ".curve circle{fill:var(--c)}.curve.many circle{fill:none}.band{fill:var(--c);opacity:.16}"
    ".guide{fill:none;stroke:#7d7b75;stroke-dasharray:3 "
    "4}.clipped{fill:var(--c)}.sample{stroke:var(--c);stroke-width:3}.sample.again{stroke-dasharray:5 4}"
    ".c0{--c:#2a78d6}.c1{--c:#eda100}.c2{--c:#1baf7a}.c3{--c:#e34948}"
    ".c4{--c:#4a3aa7}.c5{--c:#e87ba4}.c6{--c:#008300}.c7{--c:#eb6834}";

}  // namespace

std::string colour_class(std::size_t n) { return fmt::format("c{}{}", n % 8, n >= 8 ? " again" : ""); }

std::string line_chart(const std::vector<Curve>& curves, const ChartFrame& frame) {
  const std::optional<Plot> plot = plot_of(curves, frame);
  if (!plot) return "";
  std::string html;
  if (plot->drawn > 1) {
    html += R"(<div class="legend">)";
    for (const LegendEntry& entry : legend_of(curves, frame)) {
      html += fmt::format(R"(<span><i class="line {}"></i>{}</span>)", colour_class(entry.number),
                          escape_html(entry.name));
    }
    html += "</div>\n";
  }
  html += fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{} by {}">)",
                      kSize.width, kSize.height, escape_html(frame.y_label), escape_html(frame.x_label));
  html += drawing(curves, *plot, frame) + "</svg>\n";
  return html + html_note(join(notes_of(curves, *plot, frame), " "));
}

std::string chart_file(const std::vector<Curve>& curves, const ChartFrame& frame) {
  constexpr double kLine = 18;
  const std::optional<Plot> plot = plot_of(curves, frame);
  if (!plot) return "";
  std::string below;
  double y = kSize.height + kLine;
  if (plot->drawn > 1) {
    for (const LegendEntry& entry : legend_of(curves, frame)) {
      below += fmt::format(R"(<line class="sample {0}" x1="{1}" x2="{2}" y1="{3}" y2="{3}"/>)",
                           colour_class(entry.number), kSize.left, kSize.left + 22, y - 4);
      below += fmt::format(R"(<text x="{}" y="{}">{}</text>)", kSize.left + 30, y, escape_html(entry.name));
      y += kLine;
    }
  }
  for (const std::string& note : notes_of(curves, *plot, frame)) {
    below += fmt::format(R"(<text x="{}" y="{}">{}</text>)", kSize.left, y, escape_html(note));
    y += kLine;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             kSize.width, y - kLine / 2, kFileStyle) +
         drawing(curves, *plot, frame) + below + "\n</svg>\n";
}

}  // namespace coterie
