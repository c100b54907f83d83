#include "report/heat_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/html_page.h"
#include "report/table.h"

namespace coterie {
namespace {

std::string name_html(const HeatTable::Name& name) {
  constexpr std::size_t kNameWidth = 60;
  return (name.cluster ? colour_key(*name.cluster) : "") + escape_html(shortened_name(name.text, kNameWidth));
}

std::string cell_html(const HeatCell& cell) {
  constexpr double kStrong = 0.7;  // from here on the text is light
  const double share = std::isfinite(cell.share) ? std::clamp(cell.share, -1.0, 1.0) : 0;
  std::string look = share < 0 ? "minus" : "";
  if (cell.faint) {
    look = "none";
  } else if (std::abs(share) > kStrong) {
    look += look.empty() ? "full" : " full";
  }
  const std::string title = cell.title.empty() ? "" : fmt::format(" title=\"{}\"", escape_html(cell.title));
  return fmt::format("<td{} style=\"--share:{:.3f}\"{}>{}</td>",
                     look.empty() ? "" : fmt::format(" class=\"{}\"", look), std::abs(share), title,
                     escape_html(cell.text));
}

}  // namespace

std::string colour_key(std::size_t cluster) {
  return fmt::format(R"(<i class="key {}"></i>)", colour_class(cluster));
}

std::string html_heat(const HeatTable& table) {
  if (table.rows.empty() || table.columns.empty()) return "";
  std::string html = fmt::format("<div class=\"scroll\"><table class=\"heat{}\">\n<thead><tr><th>{}</th>",
                                 table.small ? " small" : "", escape_html(table.corner));
  for (const HeatTable::Name& column : table.columns)
    html += "<th scope=\"col\">" + name_html(column) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    html += "<tr><th scope=\"row\">" + name_html(table.rows[r]) + "</th>";
    for (const HeatCell& cell : table.cells[r]) html += cell_html(cell);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string heat_squares(const HeatTable& table) {
  constexpr double kSide = 13;
  constexpr double kNames = 170;
  constexpr std::size_t kNameWidth = 26;
  if (table.rows.empty() || table.columns.empty()) return "";
  const double width = kNames + kSide * static_cast<double>(table.columns.size());
  const double height = kSide * static_cast<double>(table.rows.size());
  std::string svg = fmt::format(
      R"(<div class="scroll"><svg class="squares" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)", width,
      height);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double y = kSide * static_cast<double>(r);
    const HeatTable::Name& name = table.rows[r];
    if (name.cluster) {
      svg += fmt::format(R"(<circle class="spot {}" cx="6" cy="{:.1f}" r="4.5"/>)",
                         colour_class(*name.cluster), y + kSide / 2);
    }
    svg += fmt::format(R"(<text x="{}" y="{:.1f}">{}</text>)", name.cluster ? 15 : 2, y + kSide - 3,
                       escape_html(shortened_name(name.text, kNameWidth)));
    for (std::size_t c = 0; c < table.cells[r].size(); ++c) {
      const HeatCell& cell = table.cells[r][c];
      svg += fmt::format(R"(<rect x="{:.0f}" y="{:.0f}" style="--share:{:.2f}"><title>{}</title></rect>)",
                         kNames + kSide * static_cast<double>(c), y, std::clamp(cell.share, 0.0, 1.0),
                         escape_html(cell.title));
    }
  }
  return svg + "</svg></div>\n";
}

}  // namespace coterie
