// A picture as it is, and brought to another size.
#include "data/formats/image_tree.h"
#include "fuzz/cutter.h"

namespace coterie::fuzz {

void pictures(Input input) {
  const Picture picture = decode_picture(Cutter::string_of(input), "picture");
  check(picture.pixels.size() == picture.width * picture.height * picture.channels,
        "a picture has its pixels");
  constexpr std::size_t kMost = 1 << 20;  // a fit of more takes long
  if (picture.pixels.size() > kMost) return;
  for (const std::size_t channels : {1, 3})
    check(fitted(picture, 3, 5, channels).pixels.size() == 15 * channels, "a picture fits");
}

}  // namespace coterie::fuzz
