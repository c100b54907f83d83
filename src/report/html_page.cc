#include "report/html_page.h"

#include "base/disk.h"
#include "report/page_style.h"

namespace coterie {

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
         escape_html(title) + " - Coterie</title>\n<style>" + std::string(page_style()) +
         "</style>\n</head>\n<body>\n<main>\n<h1>" + escape_html(title) + "</h1>\n<p class=\"subtitle\">" +
         escape_html(subtitle) + "</p>\n" + body + "</main>\n</body>\n</html>\n";
}

std::string html_card(const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return "<section class=\"card\">\n<h2>" + escape_html(title) + "</h2>\n" + content + "</section>\n";
}

std::string html_pair(const std::string& cards) {
  return cards.empty() ? "" : "<div class=\"pair\">\n" + cards + "</div>\n";
}

std::string html_tile(const std::string& what, const std::string& value, const std::string& more) {
  return "<div class=\"tile\"><div class=\"what\">" + escape_html(what) + "</div><div class=\"value\">" +
         escape_html(value) + "</div><div class=\"more\">" + escape_html(more) + "</div></div>\n";
}

std::string html_tiles(const std::string& tiles) { return "<div class=\"tiles\">\n" + tiles + "</div>\n"; }

std::string html_note(const std::string& text) {
  return text.empty() ? "" : "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

std::string html_fold(const std::string& heading, const std::string& content, bool open) {
  return std::string("<details class=\"fold\"") + (open ? " open" : "") + "><summary>" + heading +
         "</summary>\n" + content + "</details>\n";
}

std::string html_table(const TextTable& table) {
  constexpr std::size_t kManyColumns = 9;
  constexpr std::size_t kLongText = 40;
  auto classes = [&](std::size_t c, const std::string& text) {
    if (table.columns[c].align == Align::right) return std::string(" class=\"right\"");
    return display_width(text) > kLongText ? std::string(" class=\"long\"") : std::string();
  };
  const bool tight = table.columns.size() > kManyColumns;
  std::string html =
      std::string("<div class=\"scroll\"><table") + (tight ? " class=\"tight\"" : "") + ">\n<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& header = table.columns[c].header;
    html += "<th" + classes(c, "") + ">" + escape_html(header) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string text = escape_html(row[c].text);
      if (!row[c].link.empty()) text = "<a href=\"" + escape_html(row[c].link) + "\">" + text + "</a>";
      html +=
          "<td" + classes(c, row[c].text) + ">" + (row[c].strong ? "<b>" + text + "</b>" : text) + "</td>";
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
