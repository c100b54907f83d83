// What a finished run asks its clients once more so that its page can say what the clusters are: the loss of
// each model on what each client held out (losses.csv), and for a table the means of its columns
// (means.csv). Neither changes a result; their bytes are not counted.
#pragma once

#include <string>

#include "run/folder.h"
#include "run/handover.h"

namespace coterie {

struct Portrait {
  // At most so many training clients are asked for losses, evenly by id, about so many models.
  static constexpr std::size_t kMostClients = 2000;
  static constexpr std::size_t kMostModels = 64;
  // More numbers than this are not asked for.
  static constexpr double kMostBytes = 32e6;

  // As CSV. id, name, rows held out, then the mean loss by cluster (cluster_0 ...) or, where each client has
  // a model of its own, by whose model it is (client_7 ...); empty where a loss is not finite.
  std::string losses;
  // column, value (of text), then mean and deviation over all clients' training rows and by cluster, in the
  // table's own units. The last line of a regression is its target.
  std::string means;

  static Portrait of(Session& session, const Evaluation& evaluation, const Handover& handover);
  // Texts that are empty have no file.
  void write(const RunFolder& folder) const;
};

}  // namespace coterie
