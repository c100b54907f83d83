#include "base/add_ons.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/disk.h"
#include "base/plugins.h"

namespace coterie {
namespace {

std::string file_of(const AddOn& add_on) {
  Dl_info library;
  check(dladdr(reinterpret_cast<const void*>(&add_ons), &library) != 0, "libcoterie has no file");
  const std::filesystem::path folder = std::filesystem::path(library.dli_fname).parent_path();
  return (folder / "coterie-add-ons" / (add_on.name + ".so")).string();
}

void load_once(const AddOn& add_on) {
  static std::set<std::string> loaded;
  if (loaded.insert(add_on.name).second) load_plugins({file_of(add_on)});
}

}  // namespace

const std::vector<AddOn>& add_ons() {
  static const std::vector<AddOn> all = {
      {"mpi",
       "Open MPI (libopenmpi-dev, openmpi-bin)",
       {{"fleets", "mpi", "clients are spread over the processes that mpirun or srun started"}}},
      {"torch",
       "libtorch-dev",
       {{"models", "small-cnn", "two convolutions and two dense layers, for images"},
        {"models", "ifca-cnn", "the network of IFCA's experiments on CIFAR-10"},
        {"models", "femnist-cnn", "the network of LEAF and IFCA for FEMNIST"},
        {"models", "resnet-18", "ResNet-18, as torchvision has it"},
        {"models", "mobilenet-v2", "MobileNetV2, as torchvision has it"},
        {"models", "torchscript", "any network that Python exported with torch.jit.save"}}},
      {"grpc",
       "libgrpc++-dev, protobuf-compiler-grpc, libprotobuf-dev and libssl-dev",
       {{"fleets", "grpc", "clients in processes elsewhere, which hold their own data and dial in"}}},
  };
  return all;
}

bool is_built(const AddOn& add_on) { return is_there(file_of(add_on)); }

std::string load_add_on_of(const std::string& name) {
  for (const AddOn& add_on : add_ons()) {
    const auto& names = add_on.brings;
    if (std::none_of(names.begin(), names.end(), [&](const AddOnNames& one) { return one.name == name; }))
      continue;
    if (!is_built(add_on)) {
      return fmt::format("needs an add-on that is not built; `make {}` installs {} and builds it",
                         add_on.name, add_on.packages);
    }
    load_once(add_on);
  }
  return "";
}

void load_built_add_ons() {
  for (const AddOn& add_on : add_ons()) {
    if (is_built(add_on)) load_once(add_on);
  }
}

}  // namespace coterie
