#include "report/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "base/text.h"

namespace coterie {
namespace {

constexpr const char* kDash = "–";

}  // namespace

std::string percent_text(double share, int digits) {
  return std::isfinite(share) ? fmt::format("{:.{}f}", share * 100, digits) : kDash;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return kDash;
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string three_digits_text(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.3f}", value)
         : std::isfinite(value) ? fmt::format("{:.3g}", value)
                                : kDash;
}

std::string counted_text(double count, const char* one) {
  if (!(count >= 0) || !std::isfinite(count)) return fmt::format("{} {}s", kDash, one);
  return counted(static_cast<std::uint64_t>(count), one);
}

std::string bytes_text(double bytes) {
  return bytes >= 0 && std::isfinite(bytes) ? human_bytes(static_cast<std::uint64_t>(bytes)) : kDash;
}

std::string seconds_text(double seconds) { return std::isfinite(seconds) ? human_seconds(seconds) : kDash; }

SampleSpread spread_of(std::span<const double> values) {
  SampleSpread spread;
  double sum = 0;
  for (double v : values) {
    if (std::isnan(v)) continue;
    sum += v;
    ++spread.count;
  }
  auto count = static_cast<double>(spread.count);
  spread.mean = spread.count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  double square = 0;
  for (double v : values) {
    if (!std::isnan(v)) square += (v - spread.mean) * (v - spread.mean);
  }
  if (spread.count > 1) spread.deviation = std::sqrt(square / (count - 1));
  return spread;
}

double median_of(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double v) { return !std::isnan(v); });
  if (kept.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(kept.begin(), kept.end());
  return (kept[(kept.size() - 1) / 2] + kept[kept.size() / 2]) / 2;
}

}  // namespace coterie
