#include "fleets/grpc/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/disk.h"
#include "base/text.h"
#include "data/formats/safetensors.h"

namespace coterie::net {
namespace {

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null"; }

// Figures of the client's own part for tests.
std::string scores(const Algorithm& method, const Shelf& offer, const Vec& weights, ClientView& view) {
  const Samples& rows = view.samples(Part::test);
  if (rows.size() == 0) return "\"test_samples\": 0";
  const Predictions told = method.predict(offer, weights, view, Part::test);
  double loss = 0;
  for (const double one : told.losses) loss += one;
  std::string text = fmt::format("\"test_samples\": {},\n  \"test_loss\": {}", rows.size(),
                                 json_number(loss / static_cast<double>(rows.size())));
  const std::size_t classes = rows.shape.classes;
  if (classes == 0 || told.outputs.size() != rows.size() * classes) return text;
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = told.outputs.begin() + static_cast<std::ptrdiff_t>(i * classes);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(classes));
    right += static_cast<std::uint32_t>(best - begin) == rows.label(i) ? 1 : 0;
  }
  return text + fmt::format(",\n  \"test_accuracy\": {}",
                            json_number(static_cast<double>(right) / static_cast<double>(rows.size())));
}

}  // namespace

void leave_outcome(const std::string& folder, const ClientProgram& program, const Packing& packing,
                   const Shelf& sent, ClientView& view) {
  const Algorithm& method = program.method();
  const Shelf offer = packing.unpack(sent, program.precision());
  const Vec weights = method.settle(offer, view);
  const std::size_t cluster =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  make_folders(folder);
  const Shared model = method.model_of(offer, weights, view);
  if (model) {
    write_safetensors(folder + "/model.safetensors", program.model().layers(), model.values(),
                      program.precision(), {{"cluster", std::to_string(cluster)}});
  }
  std::string list;
  for (const double weight : weights) list += (list.empty() ? "" : ", ") + json_number(weight);
  const std::string text = fmt::format(
      "{{\n  \"cluster\": {},\n  \"clusters\": {},\n  \"weights\": [{}],\n  \"training_samples\": {},\n  "
      "{}\n}}\n",
      cluster, packing.models, list, view.samples(Part::train).size(), scores(method, offer, weights, view));
  write_atomically(folder + "/agreement.toml", program.agreement().text());
  write_atomically(folder + "/report.json", text);
}

}  // namespace coterie::net
