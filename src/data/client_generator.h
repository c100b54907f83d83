// A generator whose clients differ within a true cluster: in the shares of the classes they have, say.
#pragma once

#include "coterie/source.h"

namespace coterie {

class ClientGenerator : public Population {
 public:
  // `count` fresh samples of one client of a group. `traits` is the same whenever that client's samples are
  // drawn; what shared test sets hold comes from draw().
  virtual Samples draw_of_client(std::size_t group, std::size_t count, Stream& traits,
                                 Stream& stream) const = 0;
};

}  // namespace coterie
