// What a client has of a run in the end: its model, its cluster and how good they are on its own rows.
#pragma once

#include <string>

#include "fleet/client_program.h"

namespace coterie::net {

// Writes DIR/model.safetensors (of its cluster, or its own), DIR/agreement.toml and DIR/report.json.
void leave_outcome(const std::string& folder, const ClientProgram& program, const Packing& packing,
                   const Shelf& sent, ClientView& view);

}  // namespace coterie::net
