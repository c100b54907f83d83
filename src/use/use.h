// What a finished run is good for: new clients are put into its clusters, and rows of known and new clients
// are predicted. Both read a table (new_table.h) and give a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/data.h"

namespace coterie {

struct UseRequest {
  std::string run;                         // its folder
  std::string data;                        // the table
  std::optional<std::string> client = {};  // the column that names the client; none: the run's
};

struct UseResult {
  std::string table;               // comma-separated values, with a line of column names
  std::vector<std::string> notes;  // for the user, one sentence each
};

// A row for each client of the table, all of them taken as new:
//   client, cluster, confidence    where it settles, and how likely that is (run/posterior.h)
//   weight_0, weight_1 ...         how likely each cluster is
//   share_0, share_1 ...           soft methods: what its predictions are mixed by
//   runner_up, margin              the next likely cluster, and how much larger the sum of its losses is
//   rows, rows_for_95              rows with a target, and how many like them would make it 95 % likely
//   how                            settled, or unsettled: no row has a target, so the largest cluster it is
UseResult assign_clients(const UseRequest& request);

// What the server of a finished run sends to newcomers, as bytes; and what one of them makes of it: the same
// table. `request.run` is not read.
Bytes welcome_of(const std::string& run);
UseResult assign_newcomers(const Bytes& welcome, const UseRequest& request);

// A row for each row of the table:
//   row (from 1), client, cluster
//   how                     known: as in the run; settled: on the rows of this table that have a target;
//                           unsettled: there are none, so it is the mixture of the clusters by their sizes
//   prediction              a class, or a number in the target's units
//   p_<class> ...           how likely each class is
UseResult predict_rows(const UseRequest& request);

}  // namespace coterie
