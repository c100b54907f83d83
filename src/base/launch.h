// Whether a launcher (mpirun, srun) started this program several times, and which of these processes this one
// is: what its environment says, before anything is asked of MPI.
#pragma once

namespace coterie {

struct Launch {
  unsigned rank = 0;
  unsigned count = 1;
  unsigned here = 1;  // how many of them are on this machine
};

Launch launch_of_environment();

}  // namespace coterie
