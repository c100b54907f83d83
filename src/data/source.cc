// What a population is unless it says otherwise: one distribution, without known parameters, that cannot be
// drawn from.
#include "coterie/source.h"

#include "coterie/error.h"

namespace coterie {

std::string Population::group_name(std::size_t group) const { return "group " + std::to_string(group); }

Samples Population::draw(std::size_t, std::size_t, Stream&) const {
  throw Error(
      "this data source is a finite pool: its samples are dealt to clients, none can be drawn afresh");
}

std::optional<Vec> Population::parameters(std::size_t) const { return std::nullopt; }

}  // namespace coterie
