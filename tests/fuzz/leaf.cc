// A byte of choices, then a json file of LEAF.
#include "data/formats/leaf.h"

#include "fuzz/cutter.h"
#include "fuzz/open_folder.h"
#include "fuzz/scratch.h"

namespace coterie::fuzz {

void leaf(Input input) {
  static const Scratch kFolder;
  Cutter cutter(input);
  const unsigned choices = cutter.byte();
  kFolder.write("a.json", cutter.rest());
  std::string options = "path = \"a.json\"\n";
  if (choices & 1) options += "impute = \"zero\"\n";
  if (choices & 2) options += "task = \"regression\"\n";
  if (choices & 4) options += "shape = [1, 2]\n";
  open_folder("leaf", options, kFolder.path());
}

}  // namespace coterie::fuzz
