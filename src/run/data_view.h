// Who holds what, before anything is run: the clients of a config and their rows, by class or by size of the
// target.
#pragma once

#include <string>
#include <vector>

#include "coterie/run.h"
#include "coterie/source.h"

namespace coterie {

struct DataView {
  // Rows of more clients than this are not counted.
  static constexpr std::size_t kMostCounted = 10000;

  struct Client {
    ClientId id = 0;
    std::string name;
    Role role = Role::train;
    ClientInfo info;
    std::vector<std::string> shifts;
    std::vector<double> counts = {};  // training rows by column; empty where they were not counted

    // Its name, or "client 7".
    std::string called() const { return name.empty() ? "client " + std::to_string(id) : name; }
  };
  std::string name;    // of the config
  std::string source;  // "csv", and the like
  Task task = Task::classification;
  std::string target;                    // its column, for a table
  std::size_t width = 0;                 // features
  std::vector<std::string> columns;      // classes, or ranges of the target
  std::vector<std::string> truth_names;  // true clusters; fewer than two: none are known
  std::vector<Client> clients;           // training clients, then unseen ones
  std::vector<std::string> notes;
};

// Reads the config (the first run of a sweep), loads and deals the data. Throws BadConfig or Error as a run
// would.
DataView view_data(const RunRequest& request);

}  // namespace coterie
