// The folder of experiments: papers/<paper>/<id>/experiment.toml and the configs they name. It is part of the
// program, so that reproductions work anywhere; another folder on disk can take its place.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coterie {

class Papers {
 public:
  // Those that are part of the program.
  static Papers embedded();
  // Those in a folder: <folder>/<paper>/<id>/experiment.toml. Throws Error when it holds none.
  static Papers in_folder(const std::string& folder);

  // Ids in the order of papers and of their tables and figures.
  const std::vector<std::string>& ids() const { return ids_; }
  // Stands for itself, or for all of a paper's. Throws BadConfig with the nearest name when unknown.
  std::vector<std::string> resolve(const std::string& id_or_paper) const;

  // The experiment.toml of an id.
  std::string experiment_file(const std::string& id) const;
  // A file by its path inside the folder, or nullptr.
  const std::string* find(const std::string& path) const;
  // How errors name it.
  std::string shown(const std::string& path) const { return root_ + "/" + path; }

 private:
  explicit Papers(std::string root, std::map<std::string, std::string> files);

  std::string root_;
  std::map<std::string, std::string> files_;  // path -> text
  std::vector<std::string> ids_;
  std::map<std::string, std::string> folder_of_;  // id -> "<paper>/<id>"
};

}  // namespace coterie
