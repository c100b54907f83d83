#include "reproduce/papers.h"

#include <filesystem>

#include "base/text.h"
#include "coterie/error.h"
#include "run/folder.h"

namespace coterie {

namespace fs = std::filesystem;

// Generated from papers/ by cmake/embed.cmake.
struct EmbeddedFile {
  const char* path;
  const unsigned char* bytes;
  std::size_t size;
};
extern const EmbeddedFile kPapers[];
extern const std::size_t kPapersCount;

Papers Papers::embedded() {
  std::map<std::string, std::string> files;
  for (std::size_t i = 0; i < kPapersCount; ++i) {
    const EmbeddedFile& file = kPapers[i];
    files[file.path] = std::string(reinterpret_cast<const char*>(file.bytes), file.size);
  }
  return Papers("papers", std::move(files));
}

Papers Papers::in_folder(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code why;
  for (fs::recursive_directory_iterator entry(folder, why), end; !why && entry != end; entry.increment(why)) {
    if (entry->path().extension() != ".toml") continue;
    files[entry->path().lexically_relative(folder).generic_string()] = read_file(entry->path().string());
  }
  if (why) throw Error(folder + ": cannot be read: " + why.message());
  Papers papers(folder, std::move(files));
  if (papers.ids_.empty()) throw Error(folder + ": holds no <paper>/<id>/experiment.toml");
  return papers;
}

Papers::Papers(std::string root, std::map<std::string, std::string> files)
    : root_(std::move(root)), files_(std::move(files)) {
  for (const auto& [path, text] : files_) {
    std::vector<std::string> parts = split(path, '/');
    if (parts.size() != 3 || parts[2] != "experiment.toml") continue;
    if (!folder_of_.emplace(parts[1], parts[0] + "/" + parts[1]).second) {
      throw Error(shown(path) + ": there is another experiment called " + parts[1]);
    }
    ids_.push_back(parts[1]);
  }
}

std::vector<std::string> Papers::resolve(const std::string& id_or_paper) const {
  std::vector<std::string> found;
  std::vector<std::string> known = ids_;
  for (const std::string& id : ids_) {
    std::string paper = split(folder_of_.at(id), '/')[0];
    if (known.empty() || known.back() != paper) known.push_back(paper);
    if (id == id_or_paper) return {id};
    if (paper == id_or_paper) found.push_back(id);
  }
  if (found.empty()) throw BadConfig("error: " + unknown_name(id_or_paper, known));
  return found;
}

std::string Papers::experiment_file(const std::string& id) const {
  return folder_of_.at(id) + "/experiment.toml";
}

const std::string* Papers::find(const std::string& path) const {
  auto it = files_.find(fs::path(path).lexically_normal().generic_string());
  return it == files_.end() ? nullptr : &it->second;
}

}  // namespace coterie
