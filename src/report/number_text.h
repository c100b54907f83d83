// Numbers as people read them. NaN, a figure that does not apply, is a dash.
#pragma once

#include <span>
#include <string>

namespace coterie {

// A share as percent without the sign: 0.9531 -> "95.31".
std::string percent_text(double share, int digits = 2);
// Four significant digits: "0.1823", "12.35", "1.234e-08"; counts of any size in full: "48000".
std::string number_text(double value);
// Three digits behind the point: "0.107"; what is far from 1, as of runs that diverged, as above.
std::string three_digits_text(double value);
// A number that counts things: "1 client", "20 clients".
std::string counted_text(double count, const char* one);
std::string bytes_text(double bytes);
std::string seconds_text(double seconds);

// Over several runs. Deviation is that of a sample (n - 1), 0 for a single value; NaN values are left out.
struct SampleSpread {
  double mean = 0;  // NaN over nothing
  double deviation = 0;
  std::size_t count = 0;
};
SampleSpread spread_of(std::span<const double> values);
// The middle value, or the mean of the two in the middle; NaN values are left out, and NaN over nothing.
double median_of(std::span<const double> values);

}  // namespace coterie
