// A byte of choices, then the first of the files that are trained on. The other files hold an image each.
#include "fuzz/cutter.h"
#include "fuzz/open_folder.h"
#include "fuzz/scratch.h"

namespace coterie::fuzz {

void cifar(Input input) {
  static const Scratch kFolder;
  static const bool kReady = [] {
    const Bytes image(1 + 3 * 32 * 32);
    for (const char* name :
         {"data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"}) {
      kFolder.write(name, image);
    }
    return true;
  }();
  check(kReady, "the folder is set up");
  Cutter cutter(input);
  const unsigned choices = cutter.byte();
  kFolder.write("data_batch_1.bin", cutter.rest());
  std::string options = "folder = \".\"\n";
  if (choices & 1) options += "centre = true\n";
  if (choices & 2) options += "normalise = \"standard\"\n";
  if (choices & 4) options += "classes = [3, 0]\n";
  open_folder("cifar", options, kFolder.path());
}

}  // namespace coterie::fuzz
