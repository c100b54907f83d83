// What a client tells when it joins: decoded, merged with what another one told, and used to bring rows into
// the common form.
#include "fleet/joined_roster.h"
#include "fuzz/targets.h"

namespace coterie::fuzz {

void introductions(Input input) {
  const auto one = decode<Introduction>(input, Precision::f64);
  Introduction other = one;
  other.name += "'";
  const JoinedRoster roster({one, other}, 100);
  for (ClientId i = 0; i < roster.size(); ++i)
    check(roster.info(i).train <= 100, "a client counts for more than it may");
  check(roster.cut({{1, 2}, {3, 4}}).info(1).test == 4, "a cut roster has other sizes");
  check(JoinedRoster::read(roster.text(), "clients").size() == 2, "a roster is not what it was");
  Samples raw;
  raw.shape = one.shape;
  raw.features = std::vector<double>();
  brought_to(roster.shape(), roster.table(), roster.classes(), one, raw);
}

}  // namespace coterie::fuzz
