// Options from a line of TOML, as a config file would give them.
#pragma once

#include <string>

#include "coterie/options.h"
#include "coterie/value.h"

namespace coterie {

// Throws BadConfig with every mistake.
template <class T>
void configure(T& configured, const std::string& toml) {
  const Table table = parse_toml(toml, "test.toml");
  Problems problems;
  OptionParser parser(table, "", {"test.toml", 0}, problems);
  configured.options(parser);
  parser.finish();
  problems.raise_if_any();
}

}  // namespace coterie
