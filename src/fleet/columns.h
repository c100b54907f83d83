// How server and clients agree on the columns of a table, before round 1: each client tells moments of its
// own training rows, and the server merges them in order of client ids.
#pragma once

#include <memory>
#include <vector>

#include "coterie/client.h"
#include "coterie/detail/job.h"
#include "coterie/fleet.h"
#include "data/moments.h"
#include "fleet/agreement.h"

namespace coterie {

struct ColumnsNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct ColumnsReply {
  std::uint64_t rows = 0;  // training rows
  std::vector<ColumnMoments> columns;
  void fields(Archive& a) { a(rows, columns); }
};

// `agreement` has the draft of a table, and must outlive the job.
std::unique_ptr<const AnyJob> make_columns_job(const Agreement& agreement);
const Job<ColumnsNote, ColumnsReply>& columns_job();

// What a client may tell of its columns at the end, as they were agreed on: moments of each feature of its
// training rows, and of the target of a regression. Clients that scale their numbers alone tell nothing.
struct MeansNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct MeansReply {
  std::vector<ColumnMoments> columns;
  void fields(Archive& a) { a(columns); }
};
std::unique_ptr<const AnyJob> make_means_job(const Agreement& agreement);
const Job<MeansNote, MeansReply>& means_job();

// Asks every training client, and gives back the draft with fills, means and deviations. A client whose
// answer is impossible is left out, with an event.
TableSchema agree_on_columns(Fleet& fleet, const TableSchema& draft, Task task);

}  // namespace coterie
