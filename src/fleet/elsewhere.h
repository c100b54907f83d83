// Clients that live in other processes and hold their own data, as the engine sees them; an add-on brings the
// network between them (coterie serve, coterie join).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/error.h"
#include "fleet/agreement.h"
#include "fleet/introduction.h"

namespace coterie {

// --- the server's side
// --------------------------------------------------------------------------------------

// Whom a run waits for, and how they read their data.
struct Invitation {
  std::size_t count = 0;           // of clients
  std::vector<std::string> names;  // who they are; empty: whoever comes first
  // What a client reads its data by: TOML, the sections data and clients of a config, its seed and its
  // precision. No file and no path is in it.
  std::string reading;
  // Those of a run that goes on. Who is not back in time is taken to be as it was.
  std::vector<Introduction> before = {};
};

class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  // Waits until the clients have joined, and returns what they told. Empty when the program was asked to
  // stop.
  virtual std::vector<Introduction> gather(const Invitation& invitation) = 0;
  // What a run says to whoever watches it: a line above the table, or in the log.
  virtual void say(const std::string& text) = 0;
  // How far it is, and a few words on the last evaluation.
  virtual void show(std::size_t round, std::size_t rounds, const std::string& status) = 0;
};

// --- a client's side
// ----------------------------------------------------------------------------------------

// The data of one client.
class OwnData : public Shards {
 public:
  virtual Introduction told() const = 0;
  // The form that all agreed on, and the number that this client has: samples are as agreed from now on.
  virtual void agree(ClientId self, const Agreement& agreement, const std::vector<std::string>& classes) = 0;
};

}  // namespace coterie
