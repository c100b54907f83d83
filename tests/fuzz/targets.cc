#include "fuzz/targets.h"

#include "coterie/error.h"
#include "fuzz/cutter.h"

namespace coterie::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> kAll = {
      {"checkpoints", checkpoints},
      {"cifar", cifar},
      {"configs", configs},
      {"csv", csv},
      {"idx", idx},
      {"introductions", introductions},
      {"leaf", leaf},
      {"npz", npz},
      {"orders", orders},
      {"pictures", pictures},
      {"programs", programs},
      {"replies", replies},
      {"safetensors", safetensors},
      {"states", states},
  };
  return kAll;
}

bool takes(void (*target)(Input), Input input) {
  try {
    target(input);
    return true;
  } catch (const Error& refusal) {
    constexpr std::size_t kScreen = 80 * 100;  // a config has a line for each of its mistakes
    const std::string what = refusal.what();
    if (what.size() > kScreen)
      throw Bug("a message of " + std::to_string(what.size()) + " characters: " + what);
    const std::string given = Cutter::string_of(input);  // which the message may quote
    for (const char* foreign : {"json.exception", "filesystem error", "basic_string", "vector::", "std::"}) {
      if (what.find(foreign) != std::string::npos && given.find(foreign) == std::string::npos) {
        throw Bug("a message in the words of a library: " + what);
      }
    }
    return false;
  }
}

}  // namespace coterie::fuzz
