// A plug-in with options written as TOML, as a config would give them.
#pragma once

#include <memory>
#include <string>

#include "base/option_readers.h"
#include "coterie/options.h"
#include "coterie/registry.h"

namespace coterie {

// Reads options into anything that declares them; throws BadConfig with all mistakes.
template <class Configurable>
void set_options(Configurable& target, const std::string& toml) {
  const Table table = parse_toml(toml, "test.toml");
  Problems problems;
  OptionParser parser(table, "", {"test.toml", 1}, problems);
  target.options(parser);
  parser.finish();
  problems.raise_if_any();
}

template <class Interface>
std::unique_ptr<Interface> make_plugin(const std::string& name, const std::string& toml = "") {
  std::unique_ptr<Interface> plugin = Registry<Interface>::instance().make(name);
  set_options(*plugin, toml);
  return plugin;
}

}  // namespace coterie
