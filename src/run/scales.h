// How each client of a run scales its numbers, where every client goes by its own rows (standardise =
// "each"). Only who predicts for a client needs this: it is written beside the models, and no server is told.
#pragma once

#include <map>
#include <string>

#include "coterie/source.h"

namespace coterie {

struct Scales {
  // By client: the agreed schema with that client's fills, means and deviations.
  std::map<ClientId, TableSchema> clients;

  void write(const std::string& path) const;
  // Throws Error when the file does not fit the agreed schema.
  static Scales read(const std::string& path, const TableSchema& agreed);
};

}  // namespace coterie
