// What reads bytes that others wrote, each as a plain function. libFuzzer calls one of them with inputs that
// it makes up (entry.cc); the ordinary tests call all of them with the inputs in corpus/ and found/
// (corpus_test.cc).
//
// A target may throw an Error: it refuses the input, in words for a person. Whatever else leaves it, or does
// not end, is a defect of the engine.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace coterie::fuzz {

using Input = std::span<const std::byte>;

void checkpoints(Input input);
void cifar(Input input);
void configs(Input input);
void csv(Input input);
void idx(Input input);
void introductions(Input input);
void leaf(Input input);
void npz(Input input);
void orders(Input input);
void pictures(Input input);
void programs(Input input);
void replies(Input input);
void safetensors(Input input);
void states(Input input);

struct Target {
  std::string name;
  void (*run)(Input);
};
const std::vector<Target>& targets();

// Calls a target: true when it took the input, false when it refused it. Throws Bug when the refusal is no
// message for a person: too long, or in the words of a library.
bool takes(void (*target)(Input), Input input);

}  // namespace coterie::fuzz
