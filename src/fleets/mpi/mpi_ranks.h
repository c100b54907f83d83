// The ranks of an MPI job. All calls come from the main thread.
#pragma once

#include "fleet/ranks.h"

namespace coterie {

// Those of this process's job. MPI is started by the first call and ends with the process; in a process that
// no launcher started several times, MPI is never started.
Ranks& mpi_ranks();

}  // namespace coterie
