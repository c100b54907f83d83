// Where libFuzzer enters one target, whose name the build gives.
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  coterie::fuzz::takes(coterie::fuzz::COTERIE_FUZZ_TARGET, std::as_bytes(std::span(data, size)));
  return 0;
}
