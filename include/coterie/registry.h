// Names -> plug-ins. A plug-in is one .cc file whose stem is its name:
//
//   const Registration<Shift> kRotate{"rotate", "turn images by a fixed angle", [] { return
//   std::make_unique<Rotate>(); }};
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coterie/error.h"

namespace coterie {

// What happens when two plug-ins have one name. While a plug-in file is being loaded, the name is kept for
// the loader to report, since no exception may pass through the system's loader; else the check fails.
void report_name_taken(const std::string& name);

// One registry for each interface (Source, Shift, Partition, Model, Solver, Aggregator, Attack, Algorithm,
// Init, Metric, FleetKind). src/base/registries.cc defines them, so that the program and plug-ins loaded at
// run time share one; an interface that is missing there is an undefined reference to its instance().
template <class Interface>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>()>;
  struct Entry {
    std::string sentence;
    Factory make;
  };

  static Registry& instance();

  void add(const std::string& name, Entry entry) {
    if (!entries_.emplace(name, std::move(entry)).second) report_name_taken(name);
  }
  const Entry* find(const std::string& name) const {
    auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }
  // A plug-in with its default options; throws Error with the nearest name when there is none.
  std::unique_ptr<Interface> make(const std::string& name) const {
    const Entry* entry = find(name);
    if (entry == nullptr) throw Error(unknown_name(name, names()));
    return entry->make();
  }
  // In alphabetical order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }

 private:
  std::map<std::string, Entry> entries_;
};

template <class Interface>
struct Registration {
  Registration(const std::string& name, std::string sentence, typename Registry<Interface>::Factory make) {
    Registry<Interface>::instance().add(name, {std::move(sentence), std::move(make)});
  }
};

}  // namespace coterie
