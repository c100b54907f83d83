// What a newcomer is sent by the server of a finished run (coterie assign --server): all that it needs to
// find its cluster by itself, so that nothing of its data leaves it. Nothing in it names a client of the run.
#pragma once

#include <string>
#include <vector>

#include "coterie/detail/archive.h"

namespace coterie {

struct Welcome {
  std::string method;              // algorithm.kind, for messages
  std::string reading;             // how the run reads its tables (run/meeting.h)
  std::string program, agreement;  // what a client program is made from
  bool means = false;              // the models are means of clients' own
  bool soft = false;               // clients are in several clusters
  Vec sizes;                       // of the clusters
  double temperature = 1;          // of how likely each is (run/posterior.h)
  std::vector<Vec> offer;          // a model for each cluster, then what else is offered

  void fields(Archive& a) { a(method, reading, program, agreement, means, soft, sizes, temperature, offer); }
};

}  // namespace coterie
