// Weights that a network begins with instead of drawing them: those of its extractor, by PyTorch's names.
#pragma once

#include <string>
#include <vector>

#include "coterie/model.h"

namespace coterie::torch_models {

class Pretrained {
 public:
  void options(Options& o);
  // Replaces the parameters before `head`, and the buffers, by the file's; nothing where there is no file.
  // Throws Error where the file is of another network.
  void apply(const std::vector<Layer>& layers, std::size_t head, Vec& parameters) const;

 private:
  std::string file_, md5_;
};

}  // namespace coterie::torch_models
