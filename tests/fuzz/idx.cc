// A byte of choices; images and labels with their lengths in front; the rest names the writers.
#include "fuzz/cutter.h"
#include "fuzz/open_folder.h"
#include "fuzz/scratch.h"

namespace coterie::fuzz {

void idx(Input input) {
  static const Scratch kFolder;
  Cutter cutter(input);
  const unsigned choices = cutter.byte();
  kFolder.write("train-images-idx3-ubyte", cutter.part());
  kFolder.write("train-labels-idx1-ubyte", cutter.part());
  std::string options = "folder = \".\"\n";
  if (choices & 1) options += "downsample = 2\n";
  if (choices & 2) options += "centre = true\n";
  if (choices & 4) options += "normalise = \"standard\"\n";
  if (choices & 8) options += "classes = [0, 1]\n";
  if (choices & 48) {
    const std::string name = choices & 16 ? "writers.csv" : "writers-idx2-int";
    kFolder.write(name, cutter.rest());
    options += "writers = \"" + name + "\"\n";
  }
  open_folder("idx", options, kFolder.path());
}

}  // namespace coterie::fuzz
