// The files in the folder models/ of a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coterie/model.h"

namespace coterie {

inline constexpr const char* kExtrasFile = "models/extras.safetensors";
inline constexpr const char* kMemoriesFile = "models/memories.bin";
inline constexpr const char* kScalesFile = "models/scales.json";
std::string cluster_model_file(std::size_t cluster);
std::string client_model_file(ClientId client);
// Whether a run may have written a file of this name.
bool is_model_file(const std::string& name);

// What an offer has besides models, as layers of a file: a vector each, extra-0, extra-1 ...
std::vector<Layer> extra_layers(const std::vector<std::size_t>& sizes);

// What clients remember, by id, where a method remembers samples.
struct Memories {
  std::vector<std::pair<ClientId, Bytes>> clients;

  void fields(Archive& a);
  void write(const std::string& path);
  // Throws Error when the file is damaged.
  static Memories read(const std::string& path);
};

}  // namespace coterie
