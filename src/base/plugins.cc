// The version of a plug-in is read from its file, before the system's loader runs any of its code: a plug-in
// that was built against other headers could do anything.
#include "base/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/disk.h"
#include "base/excerpt.h"
#include "base/registries.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

// What the text of `coterie_plugin_version` starts with; the version follows, up to a zero byte.
constexpr std::string_view kVersionMark = "coterie-plugin-version=";

std::optional<std::string> version_in(const std::string& bytes) {
  std::size_t begin = bytes.find(kVersionMark);
  if (begin == std::string::npos) return std::nullopt;
  begin += kVersionMark.size();
  return bytes.substr(begin, std::min(bytes.find('\0', begin), bytes.size()) - begin);
}

void check_file(const fs::path& file) {
  const std::string bytes = read_file(file.string());
  if (!bytes.starts_with("\177ELF"))
    throw Error(fmt::format("plug-in {}: the file is not a shared library", file.string()));
  const std::optional<std::string> version = version_in(bytes);
  if (!version) {
    throw Error(fmt::format(
        "plug-in {}: the file does not say which version of coterie it was built against; build it with "
        "coterie_add_plugin (docs/plugins.md)",
        file.string()));
  }
  if (*version != engine_version()) {
    throw Error(
        fmt::format("plug-in {}: it was built against coterie {}, but this is coterie {}; build it again",
                    file.string(), *version, engine_version()));
  }
}

void load(const fs::path& file) {
  check_file(file);
  const WatchRegistrations registrations;
  // A path without a slash would be looked for in the system's folders.
  if (dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw Error(fmt::format("plug-in {}: it cannot be loaded: {}", file.string(), dlerror()));
  if (!registrations.taken().empty()) {
    throw Error(fmt::format("plug-in {}: the name \"{}\" is in use already; choose another one",
                            file.string(), registrations.taken().front()));
  }
}

std::vector<fs::path> files_at(const fs::path& path) {
  if (!is_there(path.string())) throw Error(fmt::format("plug-in {}: no such file", excerpt(path.string())));
  if (!is_folder(path.string())) return {path};
  std::vector<fs::path> files;
  for (const std::string& name : names_in(path.string())) {
    if (name.ends_with(".so")) files.push_back(path / name);
  }
  if (files.empty()) throw Error(fmt::format("plug-ins {}: the folder holds no .so file", path.string()));
  return files;
}

}  // namespace

std::string engine_version() { return COTERIE_VERSION; }

void load_plugins(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    for (const fs::path& file : files_at(path)) load(file);
  }
}

std::vector<std::string> plugin_paths(const char* variable) {
  const char* value = std::getenv(variable);
  std::vector<std::string> paths;
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) paths.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return paths;
}

}  // namespace coterie
