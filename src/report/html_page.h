// The frame of our HTML pages: one self-contained file with its own style sheet for light and dark screens,
// no script and nothing from elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "report/table.h"

namespace coterie {

// Text as content or attribute of an element.
std::string escape_html(std::string_view text);

// A whole page.
std::string html_page(const std::string& title, const std::string& subtitle, const std::string& body);

// A titled box; empty when there is no content.
std::string html_card(const std::string& title, const std::string& content);

// Cards side by side where the screen is wide enough.
std::string html_pair(const std::string& cards);

// One figure in large letters, and a row of them.
std::string html_tile(const std::string& what, const std::string& value, const std::string& more = "");
std::string html_tiles(const std::string& tiles);

// A remark in small letters; empty when there is no text.
std::string html_note(const std::string& text);

// Content that folds away below its heading, which is HTML as well.
std::string html_fold(const std::string& heading, const std::string& content, bool open = false);

// Strong cells in bold. Tables of many columns have smaller letters.
std::string html_table(const TextTable& table);

// Writes the file, or throws Error with the reason.
void write_page(const std::string& path, const std::string& html);

}  // namespace coterie
