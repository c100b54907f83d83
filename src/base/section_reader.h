// Reading a config section by section: what the config of a run and the program of its clients do alike.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/add_ons.h"
#include "base/option_readers.h"
#include "coterie/options.h"
#include "coterie/registry.h"

namespace coterie {

// A table of a method or of a start that is not the one in use.
struct UnusedTable {
  Where where;
  std::string name;  // "algorithm.ifca"
};

class SectionReader {
 public:
  // `file` names the config in texts about missing keys; `directory`: see OptionParser, may be null.
  SectionReader(const Table& table, std::string file, Problems& problems,
                const std::vector<std::string>* directory)
      : table_(table), file_(std::move(file)), problems_(problems), directory_(directory) {}

 protected:
  // A section's table and place; an absent section reads as an empty one.
  const Table& section(const std::string& name, Where& where) {
    static const Table kEmpty;
    where = {file_, 0};
    const Value* value = table_.find(name);
    if (value == nullptr) return kEmpty;
    where = value->where;
    if (value->is_table()) return std::get<Table>(value->data);
    problems_.add(where, name + " must be a table: [" + name + "]");
    return kEmpty;
  }

  OptionParser parser_of(const Table& table, std::string path, const Where& where) {
    OptionParser parser(table, std::move(path), where, problems_);
    if (directory_ != nullptr) parser.directory(*directory_);
    return parser;
  }

  template <class T>
  void plain(const std::string& name, T& target) {
    Where where;
    const Table& table = section(name, where);
    OptionParser parser = parser_of(table, name, where);
    target.options(parser);
    parser.finish();
  }

  // The plug-in named by `key`, made but not yet configured; null when there is no such name.
  template <class Interface>
  std::unique_ptr<Interface> plugin(OptionParser& parser, const std::string& key, std::string& kind,
                                    const std::string& sentence) {
    if (const std::string missing = load_add_on_of(parser.text(key)); !missing.empty()) {
      parser.refuse(key, missing);
      return nullptr;
    }
    parser.choice(key, kind, Registry<Interface>::instance().names(), sentence);
    if (parser.refused(key)) return nullptr;
    parser.chosen(key, kind);
    return Registry<Interface>::instance().make(kind);
  }

  // Reads the plug-in's own options. Without one (its name is wrong) nobody can tell which keys are.
  template <class Interface>
  static void finish_with(Interface* plugin, OptionParser& parser) {
    if (plugin == nullptr) return;
    plugin->options(parser);
    parser.finish();
  }

  // A section whose options are those of the plug-in it names.
  template <class Interface>
  void with_plugin(const std::string& name, const std::string& key, std::string& kind,
                   std::unique_ptr<Interface>& target, const std::string& sentence) {
    Where where;
    const Table& table = section(name, where);
    OptionParser parser = parser_of(table, name, where);
    target = plugin<Interface>(parser, key, kind, sentence);
    finish_with(target.get(), parser);
  }

  // The plug-in in use, with the options of its own sub-table. Sub-tables of those not in use are checked
  // too.
  template <class Interface>
  std::unique_ptr<Interface> methods(const Table& table, const std::string& path, const std::string& used,
                                     OptionParser& parser, std::vector<UnusedTable>& unused) {
    static const Table kEmpty;
    std::unique_ptr<Interface> chosen;
    for (const std::string& name : Registry<Interface>::instance().names()) {
      auto method = Registry<Interface>::instance().make(name);
      parser.claim(name);
      const Value* value = table.find(name);
      if (value != nullptr && !value->is_table()) {
        problems_.add(value->where, path + "." + name + " must be a table: [" + path + "." + name + "]");
      }
      const bool given = value != nullptr && value->is_table();
      if (given && name != used) unused.push_back({value->where, path + "." + name});
      OptionParser inner = parser_of(given ? std::get<Table>(value->data) : kEmpty, path + "." + name,
                                     given ? value->where : Where{file_, 0});
      method->options(inner);
      inner.finish();
      if (name == used) chosen = std::move(method);
    }
    if (chosen != nullptr) {
      OptionLister lister;
      chosen->options(lister);
      for (const OptionDoc& doc : lister.docs) parser.belongs(doc.name, path + "." + used + "." + doc.name);
    }
    return chosen;
  }

  template <class Interface>
  static std::string all_names() {
    std::string text;
    for (const std::string& name : Registry<Interface>::instance().names())
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  const Table& table_;
  std::string file_;
  Problems& problems_;

 private:
  const std::vector<std::string>* directory_;
};

// A sub-table with the present values of some options.
template <class F>
Value written_table(F&& write) {
  Table table;
  OptionWriter writer(table);
  write(writer, table);
  return {std::move(table), {}};
}

inline Value text_value(std::string value) { return {std::move(value), {}}; }

}  // namespace coterie
