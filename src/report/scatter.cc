#include "report/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/chart.h"
#include "report/html_page.h"
#include "report/table.h"

namespace coterie {
namespace {

constexpr double kRadius = 5;

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

std::string spot_svg(const Spot& spot, double x, double y, double radius = kRadius) {
  return fmt::format(
      R"(<circle class="spot {}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{}</title></circle>)",
      colour_class(spot.colour), x, y, radius, escape_html(spot.title));
}

// Names beside their dots: to the right or to the left, wherever they cover neither a dot nor a name.
std::string names_svg(const std::vector<Spot>& spots, const Axis& x, const Axis& y, const ChartSize& size) {
  constexpr std::size_t kMostNames = 60;
  constexpr std::size_t kNameWidth = 22;
  constexpr double kLetter = 6;
  constexpr double kHigh = 6;
  if (spots.size() > kMostNames) return "";
  std::vector<Box> taken;
  for (const Spot& s : spots) {
    const double px = x.place(s.x);
    const double py = y.place(s.y);
    taken.push_back({px - kRadius, py - kRadius, px + kRadius, py + kRadius});
  }
  std::string svg;
  for (const Spot& s : spots) {
    if (s.name.empty()) continue;
    const std::string name = shortened_name(s.name, kNameWidth);
    const double width = kLetter * static_cast<double>(display_width(name));
    const double px = x.place(s.x);
    const double py = y.place(s.y);
    for (const bool right : {true, false}) {
      const double from = right ? px + kRadius + 2 : px - kRadius - 2 - width;
      const Box box{from, py - kHigh, from + width, py + kHigh};
      if (box.left < 0 || box.right > size.width) continue;
      if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return other.meets(box); }))
        continue;
      taken.push_back(box);
      svg += fmt::format(R"(<text class="who" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)",
                         right ? from : from + width, py + 4, right ? "start" : "end", escape_html(name));
      break;
    }
  }
  return svg;
}

}  // namespace

std::string scatter(const std::vector<Spot>& spots, const ScatterFrame& frame) {
  constexpr ChartSize kSize{.width = 560, .height = 420};
  if (spots.size() < 2) return "";
  Extent xs;
  Extent ys;
  for (const Spot& spot : spots) {
    xs.add(spot.x);
    ys.add(spot.y);
  }
  if (frame.diagonal) {  // both axes show the same range
    xs.add(ys.low);
    xs.add(ys.high);
    ys = xs;
  }
  const double bottom = kSize.height - kSize.bottom;
  const double right = kSize.width - kSize.right;
  const bool log =
      frame.may_be_log && xs.low > 0 && ys.low > 0 && (xs.high > 10 * xs.low || ys.high > 10 * ys.low);
  const Axis x = log ? decades_axis(xs, kSize.left, right) : plain_axis(xs, kSize.left, right);
  const Axis y = log ? decades_axis(ys, bottom, kSize.top) : plain_axis(ys, bottom, kSize.top);
  std::string svg =
      fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{} and {}">)", kSize.width,
                  kSize.height, escape_html(frame.x_label), escape_html(frame.y_label)) +
      axes_svg(x, y, frame.x_label, frame.y_label, kSize);
  if (frame.diagonal) {
    svg += fmt::format(R"(<line class="zero" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", x.from,
                       y.from, x.to, y.to);
  }
  constexpr std::size_t kMany = 300;
  for (const Spot& spot : spots)
    svg += spot_svg(spot, x.place(spot.x), y.place(spot.y), spots.size() > kMany ? 3.5 : kRadius);
  return svg + names_svg(spots, x, y, kSize) + "</svg>\n";
}

std::string spot_lines(const std::vector<SpotLine>& lines, const std::string& x_label) {
  constexpr double kGap = 14;   // between lines
  constexpr double kRise = 7;   // of a stacked dot over the one below
  constexpr double kMost = 12;  // dots on each other; then they come closer
  Extent xs;
  for (const SpotLine& line : lines) {
    for (const Spot& spot : line.spots) xs.add(spot.x);
  }
  if (!(xs.low <= xs.high)) return "";
  xs.add(0);
  ChartSize size{.width = 760, .left = 130};
  const Axis x = plain_axis(xs, size.left, size.width - size.right, {}, {}, 7);

  // Dots of a line that share a place of the width of a dot, from below.
  std::string dots;
  double base = size.top;
  std::string names;
  for (const SpotLine& line : lines) {
    if (line.spots.empty()) continue;
    std::map<long, std::vector<const Spot*>> places;
    std::size_t highest = 0;
    for (const Spot& spot : line.spots) {
      auto& place = places[std::lround(x.place(spot.x) / (2 * kRadius))];
      place.push_back(&spot);
      highest = std::max(highest, place.size());
    }
    const double rise = highest > kMost ? kRise * kMost / static_cast<double>(highest) : kRise;
    base += kGap + 2 * kRadius + rise * static_cast<double>(highest - 1);
    for (const auto& [column, several] : places) {
      for (std::size_t i = 0; i < several.size(); ++i)
        dots += spot_svg(*several[i], x.place(several[i]->x), base - kRadius - rise * static_cast<double>(i));
    }
    names += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                         size.left - 10, base - 1, escape_html(shortened_name(line.name, 18)));
  }
  size.height = base + kGap / 2 + size.bottom;
  const Axis y{0, 1, size.height - size.bottom, size.top, false, {}};
  return fmt::format(
             R"(<div class="scroll"><svg class="chart wide" viewBox="0 0 {} {:.0f}" role="img" aria-label="{}">)",
             size.width, size.height, escape_html(x_label)) +
         axes_svg(x, y, x_label, "", size) +
         fmt::format(R"(<line class="zero" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)",
                     x.place(0), y.from, y.to) +
         names + dots + "</svg></div>\n";
}

}  // namespace coterie
