// What there is to choose from: every plug-in with its sentence and its options, for `coterie list`.
#pragma once

#include <string>
#include <vector>

#include "base/option_readers.h"
#include "coterie/options.h"

namespace coterie {

struct CatalogueEntry {
  std::string name;
  std::string sentence;
  std::vector<OptionDoc> options;
};

struct CatalogueKind {
  std::string name;     // "algorithms"
  std::string section;  // where a config names one: "[algorithm] kind"
  // Whether options go into a table of the entry's own, [algorithm.ifca], rather than into the section.
  bool own_table = false;
  std::vector<CatalogueEntry> entries;
};

// All kinds, in the order of the flow. What add-ons bring that are not loaded comes last in its kind, without
// options.
std::vector<CatalogueKind> catalogue();
// The full names of the options that live in a section, "clusters.count", those of its plug-ins included,
// unless these have a table of their own.
const std::vector<std::string>& config_keys();
// The options of the sections themselves: [clients], [rounds] ...
std::vector<CatalogueEntry> config_sections();

}  // namespace coterie
