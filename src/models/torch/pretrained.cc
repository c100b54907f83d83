#include "models/torch/pretrained.h"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <cstring>
#include <map>
#include <sstream>

#include "base/disk.h"
#include "base/md5.h"
#include "coterie/error.h"
#include "data/formats/safetensors.h"

namespace coterie::torch_models {
namespace {

using State = std::map<std::string, at::Tensor>;

// libtorch reads dictionaries, but takes Python's OrderedDict for nothing and stumbles over its attributes.
// So the outer one is turned into a dictionary, those of tensors (hooks, which are never used) into None, and
// the versions of modules at the end are cut off.
std::string as_dictionary(std::string pickle) {
  using namespace std::string_literals;
  const std::string begin = "\x80\x02"s + "ccollections\nOrderedDict\nq\0)R"s, hooks = "h\0)R"s;
  const std::string versions = "X\x09\0\0\0_metadata"s;
  if (!pickle.starts_with(begin)) return pickle;
  if (const std::size_t at = pickle.find(versions); at != std::string::npos)
    pickle = pickle.substr(0, pickle.rfind('}', at)) + ".";
  pickle.replace(2, begin.size() - 2, "}");
  for (std::size_t at = 0; (at = pickle.find(hooks, at)) != std::string::npos;)
    pickle.replace(at, hooks.size(), "N");
  return pickle;
}

State read_state(const std::string& path) {
  try {
    caffe2::serialize::PyTorchStreamReader reader(path);
    const auto [data, size] = reader.getRecord("data.pkl");
    const std::string pickle = as_dictionary({static_cast<const char*>(data.get()), size});
    std::size_t place = 0;
    const auto next = [&](char* to, std::size_t count) {
      count = std::min(count, pickle.size() - place);
      std::memcpy(to, pickle.data() + place, count);
      place += count;
      return count;
    };
    const auto record = [&](const std::string& name) {
      return std::get<0>(reader.getRecord("data/" + name));
    };
    torch::jit::Unpickler unpickler(next, nullptr, nullptr, record, c10::nullopt);
    State state;
    for (const auto& entry : unpickler.parse_ivalue().toGenericDict())
      state[entry.key().toStringRef()] = entry.value().toTensor();
    return state;
  } catch (const c10::Error&) {
    throw Error(
        fmt::format("model.weights = \"{}\" is neither a .safetensors file nor a state dict: write it with "
                    "torch.save(model.state_dict(), ...) of PyTorch 1.6 or later, or as .safetensors",
                    path));
  }
}

void copy(const std::string& path, const State& state, const Layer& layer, Vec& parameters) {
  const auto found = state.find(layer.name);
  if (found == state.end()) {
    throw Error(fmt::format("model.weights = \"{}\" is of another network: it has no tensor called \"{}\"",
                            path, layer.name));
  }
  const std::vector<std::int64_t> expected(layer.shape.begin(), layer.shape.end());
  if (found->second.sizes() != at::IntArrayRef(expected)) {
    throw Error(fmt::format("model.weights = \"{}\" is of another network: \"{}\" is {}, but [model] has {}",
                            path, layer.name, fmt::join(found->second.sizes(), " x "),
                            fmt::join(expected, " x ")));
  }
  const at::Tensor values = found->second.to(at::kDouble).contiguous();
  if (!at::isfinite(values).all().item<bool>()) {
    throw Error(
        fmt::format("model.weights = \"{}\": \"{}\" has values that are not finite", path, layer.name));
  }
  for (std::size_t i = 0; i < layer.outputs(); ++i) {
    for (std::size_t j = 0; j < layer.inputs(); ++j)
      parameters[layer.place(i, j)] = values.data_ptr<double>()[i * layer.inputs() + j];
  }
}

}  // namespace

void Pretrained::options(Options& o) {
  o("weights", &file_,
    "pretrained weights of all layers but the last, which is drawn: a .safetensors file, or a state dict "
    "that "
    "torch.save wrote; default: all are drawn");
  if (md5_.empty() && is_file(file_)) md5_ = md5_of(read_file(file_));
  o("weights_md5", &md5_, "checksum of that file; default: that of the file when the run begins");
}

void Pretrained::apply(const std::vector<Layer>& layers, std::size_t head, Vec& parameters) const {
  if (file_.empty()) return;
  if (!is_file(file_)) throw Error(fmt::format("model.weights = \"{}\": there is no such file", file_));
  if (const std::string found = md5_of(read_file(file_)); found != md5_) {
    throw Error(
        fmt::format("model.weights = \"{}\": the file has changed; its checksum is {}, but "
                    "model.weights_md5 = \"{}\"",
                    file_, found, md5_));
  }
  std::vector<Layer> wanted;
  for (const Layer& layer : layers) {
    if (layer.buffer || layer.offset < head) wanted.push_back(layer);
  }
  if (file_.ends_with(".safetensors")) {
    const Vec values = read_safetensors(file_, wanted, Others::ignored);
    for (const Layer& layer : wanted)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(layer.offset), layer.size(),
                  parameters.begin() + static_cast<std::ptrdiff_t>(layer.offset));
    return;
  }
  const State state = read_state(file_);
  for (const Layer& layer : wanted) copy(file_, state, layer, parameters);
}

}  // namespace coterie::torch_models
