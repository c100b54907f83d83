// What visits declared options: the parser of configs, the documentation, and the writer of resolved configs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value.h"
#include "coterie/options.h"

namespace coterie {

// Reads options from a table. Mistakes go to `problems`; a key that no option claimed is one of them, with
// the nearest known name, found by finish().
class OptionParser : public Options {
 public:
  OptionParser(const Table& table, std::string path, Where where, Problems& problems);
  void section(const std::string& name, const std::string& sentence,
               const std::function<void(Options&)>& inside) override;
  void require(bool holds, const std::string& option, const std::string& what) override;
  // Counts a key as known without reading it (sub-tables that others read).
  void claim(const std::string& name);
  // Says where a key belongs that somebody may give here by mistake: "clusters.restarts.trials".
  void belongs(const std::string& name, const std::string& place);
  // Says what an option is called that had another name in earlier versions.
  void renamed(const std::string& before, const std::string& now);
  // Says which plug-in, named by an option of this table, the options that follow belong to.
  void chosen(const std::string& option, const std::string& plugin) { chosen_ = {option, plugin}; }
  // All options of a config by their full names, which say where a key lives that is unknown here.
  void directory(const std::vector<std::string>& keys) { directory_ = &keys; }
  std::string path() const override { return path_; }
  // Whether the table gives this key.
  bool has(const std::string& name) const { return table_.find(name) != nullptr; }
  // The text that the table gives for this key; empty when it gives none.
  std::string text(const std::string& name) const;
  // Says that what the table gives for this key cannot be had.
  void refuse(const std::string& name, const std::string& why);
  // Whether the table gives this option a value that cannot be used.
  bool refused(const std::string& name) const;
  void finish();

 protected:
  void visit(const OptionInfo& info, OptionTarget target) override;

 private:
  std::string full_name(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  // What is wrong with a key that no option claimed.
  std::string unknown_text(const std::string& key) const;

  const Table& table_;
  std::string path_;
  Where where_;
  Problems& problems_;
  std::vector<std::string> known_;
  std::vector<std::string> refused_;
  std::vector<std::pair<std::string, std::string>> elsewhere_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  std::optional<std::pair<std::string, std::string>> chosen_;
  const std::vector<std::string>* directory_ = nullptr;
};

// Collects documentation.
struct OptionDoc {
  std::string name;      // with its section: "parts.train"
  std::string kind;      // "number", "list of integers", "one of a, b"
  std::string fallback;  // the default, as TOML; "" when unset
  std::string rule;
  std::string sentence;
};
class OptionLister : public Options {
 public:
  void section(const std::string& name, const std::string& sentence,
               const std::function<void(Options&)>& inside) override;
  void require(bool, const std::string&, const std::string&) override {}
  std::vector<OptionDoc> docs;

 protected:
  void visit(const OptionInfo& info, OptionTarget target) override;

 private:
  std::string prefix_;
};

// Writes the present values into a table: what a resolved config holds.
class OptionWriter : public Options {
 public:
  explicit OptionWriter(Table& table) : table_(&table) {}
  void section(const std::string& name, const std::string& sentence,
               const std::function<void(Options&)>& inside) override;
  void require(bool, const std::string&, const std::string&) override {}

 protected:
  void visit(const OptionInfo& info, OptionTarget target) override;

 private:
  Table* table_;
};

}  // namespace coterie
