// Dots on a plane or on lines, as inline SVG: clients by what tells them apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coterie {

struct Spot {
  double x = 0;  // finite, as y is
  double y = 0;
  std::size_t colour = 0;  // colour_class
  std::string name;        // written beside it where there is room and there are few
  std::string title;       // under the pointer
};

struct ScatterFrame {
  std::string x_label;
  std::string y_label;
  bool may_be_log = false;  // both axes, when all is positive and either spans more than a decade
  bool diagonal = false;    // a line where both coordinates are equal
};

// Empty with fewer than two spots.
std::string scatter(const std::vector<Spot>& spots, const ScatterFrame& frame);

// One line of dots for each group, with a mark at zero: `y` of the spots is not used. Dots that would cover
// each other are stacked.
struct SpotLine {
  std::string name;
  std::vector<Spot> spots;
};
std::string spot_lines(const std::vector<SpotLine>& lines, const std::string& x_label);

}  // namespace coterie
