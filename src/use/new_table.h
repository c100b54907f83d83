// The rows of a new table, as a run reads them: columns by their names, and categories, fills and scaling as
// the run agreed on, whatever the new rows look like. Where each client scales its numbers by its own rows
// (standardise = "each"), known clients go by what the run kept, new ones by their rows that have a target,
// and without any by all of their rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/source.h"
#include "use/finished_run.h"

namespace coterie {

// Client ids are places in `clients`; a client's training part are its rows with a target, its test part are
// all of them (with target 0 where there is none).
class NewTable : public Shards {
 public:
  struct Client {
    std::string name;
    std::vector<std::uint32_t> rows;      // in the table, ascending
    std::vector<std::uint32_t> labelled;  // those that have a target
  };

  // Whether clients that took part in the run are met as such, or as new ones.
  enum class Meet { known, all_as_new };

  // `client`: the column that names the client, in place of the run's. Where neither is given, all rows are
  // of one client. Throws BadConfig when a column is missing or holds what the run cannot read.
  NewTable(const std::string& path, const FinishedRun& run, const std::optional<std::string>& client,
           Meet meet = Meet::known);

  const std::vector<Client>& clients() const { return clients_; }  // in order of their first rows
  std::size_t rows() const { return all_.size(); }
  // What was read otherwise than it stands there, one sentence each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override;

 private:
  // How the numbers of a client are scaled.
  TableSchema schema_of(const Client& client, const FinishedRun& run, Meet meet);

  std::vector<Client> clients_;
  Samples all_;
  std::vector<std::string> warnings_;
  std::size_t scaled_by_few_ = 0;  // clients
};

}  // namespace coterie
