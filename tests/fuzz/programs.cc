// The program text of a client, a line "=====", and an agreement.
#include "fleet/client_program.h"
#include "fuzz/cutter.h"

namespace coterie::fuzz {

void programs(Input input) {
  const std::string kBetween = "\n=====\n";
  const std::string text = Cutter::string_of(input);
  const std::size_t end = text.find(kBetween);
  if (end == std::string::npos) throw Error("there is no agreement");
  const std::string agreement = text.substr(end + kBetween.size());
  const std::string known = Agreement::read(agreement).text();
  check(Agreement::read(known).text() == known, "an agreement is read back as another one: " + known);
  const ClientProgram program(text.substr(0, end), agreement);
  check(program.model().size() > 0, "a model has parameters");
}

}  // namespace coterie::fuzz
