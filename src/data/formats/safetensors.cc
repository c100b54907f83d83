#include "data/formats/safetensors.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

template <class Real>
void append(std::string& data, std::span<const double> values) {
  std::vector<Real> numbers(values.begin(), values.end());
  data.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Real));
}

template <class Real>
Vec numbers(const char* data, std::size_t count) {
  std::vector<Real> raw(count);
  std::memcpy(raw.data(), data, count * sizeof(Real));
  return Vec(raw.begin(), raw.end());
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<Layer>& layers, const Vec& parameters,
                       Precision precision, const std::vector<std::pair<std::string, std::string>>& about) {
  Json header;
  for (const auto& [key, value] : about) header["__metadata__"][key] = value;
  std::string data;
  for (const Layer& layer : layers) {
    std::size_t begin = data.size();
    auto values = std::span(parameters).subspan(layer.offset, layer.size());
    if (precision == Precision::f32) {
      append<float>(data, values);
    } else {
      append<double>(data, values);
    }
    header[layer.name] = {{"dtype", precision == Precision::f32 ? "F32" : "F64"},
                          {"shape", {layer.rows, layer.columns}},
                          {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::uint64_t length = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text << data;
  if (!out.flush()) throw Error("cannot write " + path);
}

std::vector<NamedTensor> read_safetensors(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read " + path);
  std::stringstream whole;
  whole << in.rdbuf();
  std::string bytes = whole.str();
  std::uint64_t length = 0;
  if (bytes.size() >= sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
  if (bytes.size() < sizeof length || length > bytes.size() - sizeof length) {
    throw Error(path + " is not a safetensors file: it ends before its header does");
  }
  std::vector<NamedTensor> tensors;
  try {
    Json header = Json::parse(bytes.substr(sizeof length, length));
    const char* data = bytes.data() + sizeof length + length;
    std::size_t available = bytes.size() - sizeof length - length;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      NamedTensor tensor{name, 1, 1, {}};
      auto shape = entry.at("shape").get<std::vector<std::size_t>>();
      tensor.rows = shape.empty() ? 1 : shape[0];
      for (std::size_t i = 1; i < shape.size(); ++i) tensor.columns *= shape[i];
      auto offsets = entry.at("data_offsets").get<std::vector<std::size_t>>();
      bool narrow = entry.at("dtype") == "F32";
      std::size_t width = narrow ? sizeof(float) : sizeof(double);
      if (!narrow && entry.at("dtype") != "F64") throw Error(path + ": " + name + " is neither F32 nor F64");
      if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > available ||
          (offsets[1] - offsets[0]) % width != 0 || tensor.columns == 0 ||
          tensor.rows != (offsets[1] - offsets[0]) / width / tensor.columns ||
          (offsets[1] - offsets[0]) / width % tensor.columns != 0) {
        throw Error(path + ": " + name + " does not fit its place in the file");
      }
      std::size_t count = (offsets[1] - offsets[0]) / width;
      tensor.values =
          narrow ? numbers<float>(data + offsets[0], count) : numbers<double>(data + offsets[0], count);
      tensors.push_back(std::move(tensor));
    }
  } catch (const Json::exception& e) {
    throw Error(path + " is not a safetensors file: " + e.what());
  }
  return tensors;
}

}  // namespace coterie
