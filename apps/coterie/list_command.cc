#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/add_ons.h"
#include "base/option_readers.h"
#include "commands.h"
#include "coterie/error.h"
#include "run/catalogue.h"

namespace coterie {
namespace {

void print_options(const std::vector<OptionDoc>& options) {
  for (const OptionDoc& o : options) {
    std::string extra = o.rule.empty() ? "" : "; " + o.rule;
    std::cout << fmt::format("    {} = {}\n        {} ({}{})\n", o.name,
                             o.fallback.empty() ? "(unset)" : o.fallback, o.sentence, o.kind, extra);
  }
}

void print_entry(const CatalogueKind& kind, const CatalogueEntry& entry) {
  std::cout << fmt::format("{} = \"{}\"\n  {}\n", kind.section, entry.name, entry.sentence);
  // "[clusters] init" -> "[clusters.restarts]"
  std::string table = kind.section.substr(0, kind.section.find(' '));
  if (kind.own_table) table.insert(table.size() - 1, "." + entry.name);
  if (!entry.options.empty()) std::cout << fmt::format("  options of {}, with their defaults:\n", table);
  print_options(entry.options);
}

void print_kind(const CatalogueKind& kind, bool names_only) {
  if (!names_only) std::cout << fmt::format("{} ({}):\n", kind.name, kind.section);
  std::size_t width = 0;
  for (const CatalogueEntry& e : kind.entries) width = std::max(width, e.name.size());
  for (const CatalogueEntry& e : kind.entries) {
    if (names_only) {
      std::cout << e.name << '\n';
    } else {
      std::cout << fmt::format("  {:<{}}  {}\n", e.name, width, e.sentence);
    }
  }
}

void list(const std::string& kind_name, const std::string& name, bool names_only) {
  load_built_add_ons();
  std::vector<CatalogueKind> kinds = catalogue();
  std::vector<std::string> known;
  for (const CatalogueKind& kind : kinds) {
    if (known.empty() || known.back() != kind.name) known.push_back(kind.name);
  }
  known.push_back("sections");
  if (kind_name.empty()) {
    for (const CatalogueKind& kind : kinds) print_kind(kind, names_only);
    std::cout << "\ncoterie list KIND NAME shows the options of one; coterie list sections those of the "
                 "config's sections.\n";
    return;
  }
  if (kind_name == "sections") {
    std::vector<CatalogueEntry> sections = config_sections();
    std::vector<std::string> names;
    for (const CatalogueEntry& section : sections) names.push_back(section.name);
    // [local], [model] and the like have no options but those of what they name.
    bool found = name.empty() || std::find(names.begin(), names.end(), name) != names.end();
    for (const CatalogueKind& kind : kinds) {
      names.push_back(kind.section.substr(1, kind.section.find(']') - 1));
      if (found || names.back() != name) continue;
      std::cout << fmt::format("{} says which; coterie list {} NAME shows the options of one.\n",
                               kind.section, kind.name);
      print_kind(kind, names_only);
      found = true;
    }
    if (!found) throw BadConfig("error: " + unknown_name(name, names));
    for (const CatalogueEntry& section : sections) {
      if (!name.empty() && section.name != name) continue;
      std::cout << fmt::format("[{}]\n  {}\n", section.name, section.sentence);
      print_options(section.options);
    }
    return;
  }
  // The tiers are several kinds of one name.
  std::erase_if(kinds, [&](const CatalogueKind& kind) { return kind.name != kind_name; });
  if (kinds.empty()) throw BadConfig("error: " + unknown_name(kind_name, known));
  std::vector<std::string> names;
  for (const CatalogueKind& kind : kinds) {
    if (kinds.size() > 1)
      names.push_back(kind.section.substr(kind.section.find(' ') + 1));  // "[tiers] adapt"
    const bool whole = kinds.size() > 1 && names.back() == name;
    if (name.empty() || whole) print_kind(kind, names_only);
    if (whole) return;
    for (const CatalogueEntry& entry : kind.entries) {
      names.push_back(entry.name);
      if (entry.name == name) print_entry(kind, entry);
    }
  }
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    throw BadConfig("error: " + unknown_name(name, names));
}

}  // namespace

void add_list_command(CLI::App& app, int&) {
  struct Arguments {
    std::string kind;
    std::string name;
    bool names_only = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("list", "what there is to choose from, and its options");
  command->add_option("KIND", arguments->kind, "algorithms, models, datasets, shifts, partitions, ...");
  command->add_option("NAME", arguments->name, "one of them: its options, defaults and bounds");
  command->add_flag("--names", arguments->names_only, "names only, one a line");
  command->callback([arguments] { list(arguments->kind, arguments->name, arguments->names_only); });
}

}  // namespace coterie
