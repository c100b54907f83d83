// The program text of a client, a line "=====", and an agreement.
#include "fleet/client_program.h"
#include "fuzz/cutter.h"

namespace coterie::fuzz {

namespace {

// Seven rows, cut as a client does that is told to.
void try_cut(const RowCut& cut) {
  Samples rows;
  rows.shape = {Task::regression, 1, 0};
  rows.features = std::vector<double>(7, 1.0);
  rows.targets.assign(7, 0.5);
  rows.kin = {0, 0, 1, 2, 2, 3, 4};
  const CutSamples made = cut_samples(rows, {}, 3, cut);
  check(made.train.size() > 0 && made.train.size() + made.held_out.size() == 7, "a cut loses rows");
}

}  // namespace

void programs(Input input) {
  const std::string kBetween = "\n=====\n";
  const std::string text = Cutter::string_of(input);
  const std::size_t end = text.find(kBetween);
  if (end == std::string::npos) throw Error("there is no agreement");
  const std::string agreement = text.substr(end + kBetween.size());
  const Agreement agreed = Agreement::read(agreement);
  if (agreed.cut) try_cut(*agreed.cut);
  const std::string known = agreed.text();
  check(Agreement::read(known).text() == known, "an agreement is read back as another one: " + known);
  const ClientProgram program(text.substr(0, end), agreement);
  check(program.model().size() > 0, "a model has parameters");
}

}  // namespace coterie::fuzz
