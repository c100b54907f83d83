#include "report/chart_axis.h"

#include <fmt/format.h>

#include <cmath>

#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

// Far powers of ten in short: "1e-5".
std::string mark_text(double mark, const Axis& axis) {
  if (axis.log && (mark < 0.9e-3 || mark > 1.1e4)) return fmt::format("1e{:.0f}", std::log10(mark));
  return number_text(!axis.log && std::abs(mark) < 1e-12 ? 0 : mark);
}

}  // namespace

double Axis::place(double value) const {
  auto scaled = [&](double v) { return log ? std::log10(v) : v; };
  double share = (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
  return from + std::clamp(share, 0.0, 1.0) * (to - from);
}

std::vector<double> ticks(double low, double high, std::size_t count, double least_step) {
  double rough = std::max((high - low) / static_cast<double>(count), std::numeric_limits<double>::min());
  double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  step = std::max(step, least_step);
  double first = std::floor(low / step + 1e-9);
  double last = std::ceil(high / step - 1e-9);
  std::vector<double> marks;
  for (double i = first; i <= last; ++i) marks.push_back(i * step);
  return marks;
}

Axis decades_axis(const Extent& values, double from, double to) {
  double first = std::floor(std::log10(values.low));
  double last = std::ceil(std::log10(values.high));
  if (last == first) ++last;
  double step = std::ceil((last - first) / 7);
  Axis axis{std::pow(10, first), std::pow(10, last), from, to, true, {}};
  for (double decade = first; decade <= last; decade += step) axis.marks.push_back(std::pow(10, decade));
  return axis;
}

Axis plain_axis(Extent values, double from, double to, std::optional<double> least,
                std::optional<double> most, std::size_t count) {
  double low = least ? std::min(*least, values.low) : values.low;
  double high = most.value_or(values.high);
  if (!(high > low)) {
    double room = std::max(std::abs(low) * 0.1, 1e-12);
    low -= room;
    high += room;
  }
  Axis axis{low, high, from, to, false, ticks(low, high, count)};
  axis.low = axis.marks.front();
  axis.high = axis.marks.back();
  if (most && axis.high > *most) {
    axis.high = *most;
    while (axis.marks.size() > 1 && axis.marks.back() > axis.high) axis.marks.pop_back();
  }
  return axis;
}

double room_for_marks(const Axis& y) {
  constexpr double kLetter = 7, kLabelAndGaps = 30;
  std::size_t longest = 0;
  for (const double mark : y.marks) longest = std::max(longest, mark_text(mark, y).size());
  return kLabelAndGaps + kLetter * static_cast<double>(longest);
}

std::string axes_svg(const Axis& x, const Axis& y, const std::string& x_label, const std::string& y_label,
                     const ChartSize& size) {
  std::string svg;
  for (double mark : y.marks) {
    double at = y.place(mark);
    svg += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x.from,
                       x.to, at, at);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", x.from - 8,
                       at + 4, mark_text(mark, y));
  }
  svg += fmt::format(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x.from, x.to,
                     y.from, y.from);
  for (double mark : x.marks) {
    svg += fmt::format(R"(<line class="axis" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)",
                       x.place(mark), y.from, y.from + 4);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       x.place(mark), y.from + 18, mark_text(mark, x));
  }
  svg += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     (x.from + x.to) / 2, size.height - 6, escape_html(x_label));
  svg += fmt::format(R"svg(<text class="label" transform="translate(11 {:.1f}) rotate(-90)")svg"
                     R"( text-anchor="middle">{}</text>)",
                     (y.from + y.to) / 2, escape_html(y_label));
  return svg;
}

}  // namespace coterie
