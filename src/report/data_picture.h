// Who holds what, for a terminal and as a page.
#pragma once

#include <string>

#include "report/table.h"
#include "run/data_view.h"

namespace coterie {

// How many clients and rows there are, the classes, and the first 40 clients with a bar for each class.
std::string data_text(const DataView& view, Marks marks = Marks::star);

// Every client by name (up to 1,000 of them): rows, true cluster, shifts, and the share of each class or
// range of the target.
std::string data_page(const DataView& view);

}  // namespace coterie
