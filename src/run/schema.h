// schema.json: what goes into a run's models and what comes out, for whoever uses them elsewhere.
#pragma once

#include "run/folder.h"
#include "run/session.h"

namespace coterie {

// Also lists the files in models/; it is written before them, so that a later run knows which are its own to
// replace.
void write_schema(const RunFolder& folder, Session& session, const std::vector<std::string>& models);

}  // namespace coterie
