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

// Strong cells in bold.
std::string html_table(const TextTable& table);

// Writes the file, or throws Error with the reason.
void write_page(const std::string& path, const std::string& html);

}  // namespace coterie
