#include "run/model_files.h"

#include <fmt/format.h>

#include <cstring>

#include "base/checksum.h"
#include "base/disk.h"
#include "coterie/detail/archive.h"

namespace coterie {
namespace {

constexpr std::string_view kMemoriesMagic = "coterie memories 1\n";

std::uint32_t sum_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

std::string cluster_model_file(std::size_t cluster) {
  return fmt::format("models/cluster-{}.safetensors", cluster);
}

std::string client_model_file(ClientId client) { return fmt::format("models/client-{}.safetensors", client); }

bool is_model_file(const std::string& name) {
  if (name == kExtrasFile || name == kMemoriesFile || name == kScalesFile) return true;
  const bool one = name.starts_with("models/cluster-") || name.starts_with("models/client-");
  return one && name.ends_with(".safetensors") && name.find("..") == std::string::npos;
}

std::vector<Layer> extra_layers(const std::vector<std::size_t>& sizes) {
  std::vector<Layer> layers;
  std::size_t offset = 0;
  for (const std::size_t size : sizes) {
    Layer layer;
    layer.name = fmt::format("extra-{}", layers.size());
    layer.offset = offset;
    layer.shape = {size};
    offset += size;
    layers.push_back(std::move(layer));
  }
  return layers;
}

void Memories::fields(Archive& a) { a(clients); }

void Memories::write(const std::string& path) {
  const Bytes body = encode(*this, Precision::f64);
  std::string content(kMemoriesMagic);
  content.append(reinterpret_cast<const char*>(body.data()), body.size());
  const std::uint32_t sum = sum_of(content);
  content.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  write_atomically(path, content);
}

Memories Memories::read(const std::string& path) {
  std::string content = read_file(path);
  std::uint32_t sum = 0;
  if (content.size() >= kMemoriesMagic.size() + sizeof sum) {
    std::memcpy(&sum, content.data() + content.size() - sizeof sum, sizeof sum);
    content.resize(content.size() - sizeof sum);
    if (content.starts_with(kMemoriesMagic) && sum_of(content) == sum) {
      const std::string_view body = std::string_view(content).substr(kMemoriesMagic.size());
      return decode<Memories>(std::as_bytes(std::span(body.data(), body.size())), Precision::f64);
    }
  }
  throw Error(path + " was changed or damaged after the run; restore it, or run again with --force");
}

}  // namespace coterie
