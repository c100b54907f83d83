#include "report/html_page.h"

#include "base/disk.h"

namespace coterie {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark;
  --plane: #f5f5f2; --surface: #ffffff; --ink: #14140f; --ink-2: #52514e;
  --muted: #7d7b75; --line: #e4e3dc; --axis: #bdbcb2; --heat: 28 92 171; --on-heat: #ffffff;
  --s0: #2a78d6; --s1: #eda100; --s2: #1baf7a; --s3: #e34948;
  --s4: #4a3aa7; --s5: #e87ba4; --s6: #008300; --s7: #eb6834; }
@media (prefers-color-scheme: dark) { :root {
  --plane: #0f0f0e; --surface: #1b1b1a; --ink: #f6f6f3; --ink-2: #c3c2b7;
  --muted: #94928a; --line: #30302d; --axis: #55544f; --heat: 42 120 214; --on-heat: #ffffff;
  --s0: #3987e5; --s1: #d99a1c; --s2: #1fae7d; --s3: #e66767;
  --s4: #9085e9; --s5: #d55181; --s6: #2f9e2f; --s7: #d95926; } }
a { color: var(--s0); }
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; background: var(--plane); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 12px; }
.subtitle { color: var(--ink-2); margin: 4px 0 24px; overflow-wrap: anywhere; }
.note { color: var(--muted); font-size: 13px; margin: 8px 0 0; }
.card { background: var(--surface); border: 1px solid var(--line);
  border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr));
  gap: 0 16px; }
.pair > .card { min-width: 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 16px; }
.tile { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px;
  flex: 1 1 136px; max-width: 320px; }
.tile .what { color: var(--ink-2); font-size: 13px; white-space: nowrap; }
.tile .value { font-size: 26px; font-weight: 600; line-height: 1.3; white-space: nowrap; }
.tile .more { color: var(--muted); font-size: 12.5px; min-height: 1.5em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
th, td { padding: 6px 9px; text-align: left; border-bottom: 1px solid var(--line); }
th { color: var(--ink-2); font-weight: 600; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { padding-left: 0; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td:last-child:not(.right) { width: 100%; }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.heat { border-collapse: separate; border-spacing: 2px; width: auto; }
.heat th, .heat td, .heat td:last-child { border: 0; padding: 9px 12px; width: auto; }
.heat thead th { text-align: center; max-width: 150px; white-space: normal; font-size: 13px;
  vertical-align: bottom; }
.heat tbody th { padding-left: 0; color: var(--ink); }
.heat td { text-align: center; min-width: 64px; border-radius: 5px; font-variant-numeric: tabular-nums;
  background: rgb(var(--heat) / calc(0.04 + 0.92 * var(--share))); }
.heat td.none { color: var(--muted); }
.heat td.full { color: var(--on-heat); font-weight: 600; }
.bands { display: grid; grid-template-columns: max-content 1fr; gap: 8px 16px; align-items: baseline; }
.bands .name { max-width: 220px; overflow-wrap: anywhere; font-size: 14px; }
.bands .name small { color: var(--muted); margin-left: 6px; }
.dots { display: flex; flex-wrap: wrap; gap: 4px; }
.dot, .key { display: inline-block; width: 13px; height: 13px; border-radius: 50%;
  background: var(--c); border: 3px solid var(--c); }
.dot.again, .key.again { background: transparent; }
.dot:hover { outline: 2px solid var(--ink); }
.key { width: 11px; height: 11px; margin-right: 7px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px;
  color: var(--ink-2); margin: 0 0 10px; }
.legend .line { display: inline-block; width: 18px; border-top: 3px solid var(--c);
  margin-right: 7px; vertical-align: 4px; }
.legend .line.again { border-top-style: dashed; }
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--muted); font-size: 12px; }
.chart .label { fill: var(--ink-2); }
.chart .grid { stroke: var(--line); }
.chart .axis { stroke: var(--axis); }
.curve polyline { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.curve.again polyline { stroke-dasharray: 5 4; }
.curve.level polyline { stroke-dasharray: 2 5; }
.curve circle { fill: var(--c); stroke: transparent; stroke-width: 12; pointer-events: all; }
.curve.many circle { fill: transparent; }
.curve circle:hover { fill: var(--ink); }
.c0 { --c: var(--s0); } .c1 { --c: var(--s1); } .c2 { --c: var(--s2); } .c3 { --c: var(--s3); }
.c4 { --c: var(--s4); } .c5 { --c: var(--s5); } .c6 { --c: var(--s6); } .c7 { --c: var(--s7); }
pre { margin: 12px 0 0; overflow-x: auto; font: 13px/1.5 ui-monospace, "SF Mono", Menlo, monospace; }
summary { cursor: pointer; font-weight: 600; }
)css";

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(const std::string& title, const std::string& subtitle, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_html(title) + " - Coterie</title>\n<style>" + kStyle +
         "</style>\n</head>\n<body>\n<main>\n<h1>" + escape_html(title) + "</h1>\n<p class=\"subtitle\">" +
         escape_html(subtitle) + "</p>\n" + body + "</main>\n</body>\n</html>\n";
}

std::string html_card(const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return "<section class=\"card\">\n<h2>" + escape_html(title) + "</h2>\n" + content + "</section>\n";
}

std::string html_table(const TextTable& table) {
  auto classes = [&](std::size_t c) {
    return table.columns[c].align == Align::right ? std::string(" class=\"right\"") : std::string();
  };
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    html += "<th" + classes(c) + ">" + escape_html(table.columns[c].header) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string text = escape_html(row[c].text);
      if (!row[c].link.empty()) text = "<a href=\"" + escape_html(row[c].link) + "\">" + text + "</a>";
      html += "<td" + classes(c) + ">" + (row[c].strong ? "<b>" + text + "</b>" : text) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

void write_page(const std::string& path, const std::string& html) {
  make_folders(folder_of(path));
  write_atomically(path, html);
}

}  // namespace coterie
