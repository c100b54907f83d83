// Models of an earlier run, or from anywhere else, as .safetensors files.
//
// Choose it to go on with other options or another method from where a run ended: path = "runs/demo-1" takes
// its models in the order of their clusters, and the weights of a program in PyTorch are taken as well
// (data/formats/safetensors.h). Client states (momentum and the like) begin afresh.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/disk.h"
#include "base/sealed_summary.h"
#include "base/text.h"
#include "coterie/algorithm.h"
#include "data/formats/safetensors.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

// cluster-2 before cluster-10.
bool in_order(const fs::path& a, const fs::path& b) {
  std::string left = a.filename().string();
  std::string right = b.filename().string();
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

class File : public Init {
 public:
  void options(Options& o) override {
    o("path", &path_, "a run folder, a folder of .safetensors files, or one such file");
  }

  Start make(const InitContext& context) const override {
    // A run that finished knows its models.
    if (is_file(path_ + "/summary.json")) check_summary(path_, read_summary(path_), Vouched::models);
    std::vector<fs::path> files = find();
    const std::size_t wanted = context.algorithm.start_models();
    if (files.size() != wanted) {
      throw Error(
          fmt::format("clusters.file.path = \"{}\" holds {}, but the method starts from {}; set "
                      "clusters.count to fit, or choose another folder",
                      path_, counted(files.size(), "model"), wanted));
    }
    Start start;
    for (const fs::path& file : files) {
      start.models.push_back(read_safetensors(file.string(), context.setting.model.layers()));
    }
    return start;
  }

 private:
  std::vector<fs::path> find() const {
    if (path_.empty()) {
      throw Error(
          "clusters.init = \"file\" needs clusters.file.path: a run folder, a folder of .safetensors "
          "files, or one such file");
    }
    if (is_file(path_)) return {path_};
    const fs::path folder = is_folder(path_ + "/models") ? fs::path(path_) / "models" : fs::path(path_);
    std::vector<fs::path> files;
    for (const std::string& name : names_in(folder.string())) {
      if (name.ends_with(".safetensors") && name != "extras.safetensors") files.push_back(folder / name);
    }
    // In a run's folder: the models of its clusters, or of its clients where there are no clusters.
    const auto begins = [](const char* with) {
      return [with](const fs::path& file) { return file.filename().string().starts_with(with); };
    };
    if (std::any_of(files.begin(), files.end(), begins("cluster-"))) std::erase_if(files, begins("client-"));
    if (files.empty()) {
      throw Error(
          fmt::format("clusters.file.path = \"{}\": there is no model in it; give a finished run's folder, "
                      "a folder of .safetensors files, or one such file",
                      path_));
    }
    std::sort(files.begin(), files.end(), in_order);
    return files;
  }

  std::string path_;
};

const Registration<Init> kFile{"file", "models of an earlier run, from .safetensors files",
                               [] { return std::make_unique<File>(); }};

}  // namespace
}  // namespace coterie
