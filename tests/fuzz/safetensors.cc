// A file of a model with a matrix and a bias.
#include "data/formats/safetensors.h"

#include "fuzz/cutter.h"
#include "fuzz/scratch.h"
#include "math/kernels.h"

namespace coterie::fuzz {

void safetensors(Input input) {
  static const Scratch kFolder;
  const std::vector<Layer> layers = {
      {.name = "layer1.weight", .shape = {3, 2}, .inputs_first = true, .key = "0.weight"},
      {.name = "layer1.bias", .offset = 6, .shape = {3}, .key = "0.bias"}};
  const Vec model = read_safetensors(kFolder.write("model.safetensors", input), layers);
  check(model.size() == 9 && all_finite(model), "a whole model");
}

}  // namespace coterie::fuzz
