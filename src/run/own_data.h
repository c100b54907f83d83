// The data of a client that joins a run: its own file, read as the run's config says.
#pragma once

#include "fleet/elsewhere.h"

namespace coterie {

struct OwnFile {
  std::string path;                   // as the source takes it: a file or a folder
  std::optional<std::string> client;  // whose rows, where the file has those of several
};

// `reading`: what the server sent (run/meeting.h). Throws Error when the file cannot be read so.
std::unique_ptr<OwnData> open_own_data(const std::string& reading, const OwnFile& file);

}  // namespace coterie
