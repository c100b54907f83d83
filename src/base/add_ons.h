// Add-ons: plug-ins of this project that need large packages. Each is a shared library of its own, in the
// folder coterie-add-ons beside libcoterie. It is built where it was asked for (make mpi), and loaded when a
// config names something that it brings.
#pragma once

#include <string>
#include <vector>

namespace coterie {

// What an add-on brings: names of one kind of plug-in.
struct AddOnNames {
  std::string kind;  // as `coterie list` has it: "fleets"
  std::string name;
  std::string sentence;
};

struct AddOn {
  std::string name;      // of its library and its target of make
  std::string packages;  // what it needs, as Debian has it
  std::vector<AddOnNames> brings;
};

const std::vector<AddOn>& add_ons();
bool is_built(const AddOn& add_on);

// Loads the add-on that brings `name`, unless it is loaded already. Returns why that cannot be, as the end of
// a sentence that begins with the option ("needs ..."); empty when it is loaded, or when no add-on brings the
// name.
std::string load_add_on_of(const std::string& name);

// For lists of all that there is.
void load_built_add_ons();

}  // namespace coterie
