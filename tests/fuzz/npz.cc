// A byte of choices, then an archive.
#include "data/formats/npz.h"

#include "fuzz/cutter.h"
#include "fuzz/open_folder.h"
#include "fuzz/scratch.h"

namespace coterie::fuzz {

void npz(Input input) {
  static const Scratch kFolder;
  Cutter cutter(input);
  const unsigned choices = cutter.byte();
  kFolder.write("a.npz", cutter.rest());
  std::string options = "file = \"a.npz\"\n";
  if (choices & 1) options += "client = \"\"\n";
  if (choices & 2) options += "impute = \"drop-row\"\n";
  if (choices & 4) options += "task = \"regression\"\n";
  if (choices & 8) options += "shape = [1, 2]\n";
  open_folder("npz", options, kFolder.path());
}

}  // namespace coterie::fuzz
