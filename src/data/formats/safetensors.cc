#include "data/formats/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "base/disk.h"
#include "base/text.h"
#include "math/kernels.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;  // to write: in the order of the layers
using Header = nlohmann::json;        // to read: finds names at once
using Sizes = std::vector<std::size_t>;

constexpr const char* kTorchFormat = "pt";  // what other programs write for PyTorch's layout

struct Tensor {
  std::string name;
  Sizes shape;
  Vec values;
};

struct File {
  bool older = false;  // without a format: inputs first
  std::vector<Tensor> tensors;
};

const std::string& key_of(const Layer& layer) { return layer.key.empty() ? layer.name : layer.key; }

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

// A layer's numbers, outputs first.
Vec outputs_first(const Layer& layer, const Vec& parameters) {
  Vec out;
  for (std::size_t i = 0; i < layer.outputs(); ++i) {
    for (std::size_t j = 0; j < layer.inputs(); ++j) out.push_back(parameters[layer.place(i, j)]);
  }
  return out;
}

// Whole numbers that are not negative; the library would convert others without a word.
Sizes sizes_of(const Header& list) {
  for (const Header& one : list) one.get_ref<const Header::number_unsigned_t&>();
  return list.get<Sizes>();
}

// Takes what the tensor needs off the bytes that are `left` for it and those after it.
Tensor tensor_of(const std::string& path, const std::string& name, const Header& entry, const char* data,
                 std::size_t available, std::size_t& left) {
  Tensor tensor{name, sizes_of(entry.at("shape")), {}};
  const Sizes offsets = sizes_of(entry.at("data_offsets"));
  const bool narrow = entry.at("dtype") == "F32";
  const std::size_t width = narrow ? sizeof(float) : sizeof(double);
  if (!narrow && entry.at("dtype") != "F64") {
    throw Error(path + ": " + in_quotes(name) + " is neither F32 nor F64");
  }
  const bool inside = offsets.size() == 2 && offsets[0] <= offsets[1] && offsets[1] <= available;
  std::size_t count = inside ? (offsets[1] - offsets[0]) / width : 0;
  bool fits = inside && (offsets[1] - offsets[0]) % width == 0;
  // Sizes are divided out one by one: their product may be too large for a number.
  for (const std::size_t size : tensor.shape) {
    fits = fits && size > 0 && count % size == 0;
    if (fits) count /= size;
  }
  if (!fits || count != 1) throw Error(path + ": " + in_quotes(name) + " does not fit its place in the file");
  if (offsets[1] - offsets[0] > left)
    throw Error(path + ": " + in_quotes(name) + " shares bytes with another");
  left -= offsets[1] - offsets[0];
  count = (offsets[1] - offsets[0]) / width;
  tensor.values =
      narrow ? numbers<float>(data + offsets[0], count) : numbers<double>(data + offsets[0], count);
  return tensor;
}

// Eight hexadecimal digits.
std::string sum_text(std::string_view data) {
  return fmt::format("{:08x}", checksum(std::as_bytes(std::span(data.data(), data.size()))));
}

File read_tensors(const std::string& path, Others others) {
  const std::string bytes = read_file(path);
  std::uint64_t length = 0;
  if (bytes.size() >= sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
  if (bytes.size() < sizeof length || length > bytes.size() - sizeof length) {
    throw Error(path + " is not a safetensors file: it ends before its header does");
  }
  File file{true, {}};
  try {
    const auto* text = bytes.data() + sizeof length;
    const Header header = Header::parse(text, text + length);
    const char* data = text + length;
    const std::size_t available = bytes.size() - sizeof length - length;
    std::size_t left = available;
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") {
        const Header& type = entry.at("dtype");
        if (others == Others::ignored && type != "F32" && type != "F64") continue;
        file.tensors.push_back(tensor_of(path, name, entry, data, available, left));
      } else if (entry.contains("format")) {
        const auto format = entry.at("format").get<std::string>();
        if (format != kModelFormat && format != kTorchFormat) {
          throw Error(fmt::format("{} has format {}; \"{}\" is the one that is known", path,
                                  in_quotes(format), kModelFormat));
        }
        file.older = false;
        if (entry.contains("crc32") && entry.at("crc32") != sum_text({data, available})) {
          throw Error(path + " was changed or damaged after it was written: its checksum does not match");
        }
      } else if (entry.contains("crc32")) {  // older files have neither
        throw Error(path + " was changed or damaged after it was written: its metadata has no format");
      }
    }
  } catch (const Header::exception&) {
    throw Error(
        path +
        " is not a safetensors file: its header is not JSON with a dtype, a shape and data_offsets for "
        "each tensor");
  }
  return file;
}

std::string text_of(const Sizes& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

// The shape of a layer's tensor in older files: biases are 1 x outputs, other vectors a column.
Sizes older_shape(const Layer& layer) {
  if (layer.is_matrix()) return {layer.inputs(), layer.outputs()};
  return layer.name.ends_with("bias") ? Sizes{1, layer.size()} : Sizes{layer.size(), 1};
}

void copy_tensor(const std::string& path, const File& file, const Layer& layer, Vec& parameters) {
  const std::string& name = file.older ? layer.name : key_of(layer);
  const auto tensor = std::find_if(file.tensors.begin(), file.tensors.end(),
                                   [&](const Tensor& one) { return one.name == name; });
  const std::string hint =
      file.older
          ? fmt::format(
                " (a file whose metadata has no format is read as an older one of Coterie; if it comes from "
                "PyTorch, save it with metadata format = \"{}\")",
                kModelFormat)
          : "";
  if (tensor == file.tensors.end()) {
    throw Error(fmt::format("{} is of another model: it has no tensor called \"{}\"{}", path, name, hint));
  }
  const Sizes expected = file.older ? older_shape(layer) : layer.shape;
  if (tensor->shape != expected) {
    throw Error(fmt::format("{} is of another model: \"{}\" is {}, but [model] has {}{}", path, name,
                            text_of(tensor->shape), text_of(expected), hint));
  }
  if (!all_finite(tensor->values)) {
    throw Error(fmt::format("{}: \"{}\" has values that are not finite", path, name));
  }
  const std::size_t inputs = layer.inputs(), outputs = layer.outputs();
  for (std::size_t i = 0; i < outputs; ++i) {
    for (std::size_t j = 0; j < inputs; ++j) {
      parameters[layer.place(i, j)] = tensor->values[file.older ? j * outputs + i : i * inputs + j];
    }
  }
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<Layer>& layers, const Vec& parameters,
                       Precision precision, const std::vector<std::pair<std::string, std::string>>& about) {
  Json header;
  header["__metadata__"]["format"] = kModelFormat;
  for (const auto& [key, value] : about) header["__metadata__"][key] = value;
  std::string data;
  for (const Layer& layer : layers) {
    const std::size_t begin = data.size();
    const Vec values = outputs_first(layer, parameters);
    if (precision == Precision::f32) {
      append<float>(data, values);
    } else {
      append<double>(data, values);
    }
    header[key_of(layer)] = {{"dtype", precision == Precision::f32 ? "F32" : "F64"},
                             {"shape", layer.shape},
                             {"data_offsets", {begin, data.size()}}};
  }
  header["__metadata__"]["crc32"] = sum_text(data);
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::uint64_t length = text.size();
  write_atomically(path, std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data);
}

Vec read_safetensors(const std::string& path, const std::vector<Layer>& layers, Others others) {
  const File file = read_tensors(path, others);
  Vec parameters(layers.back().offset + layers.back().size());
  for (const Layer& layer : layers) copy_tensor(path, file, layer, parameters);
  if (others == Others::refused && file.tensors.size() != layers.size()) {
    throw Error(fmt::format("{} is of another model: it has {} tensors, but [model] has {} layers", path,
                            file.tensors.size(), layers.size()));
  }
  return parameters;
}

}  // namespace coterie
