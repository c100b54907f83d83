#include "run/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/md5.h"

namespace coterie {
namespace {

// A sweep of more runs is a slip.
constexpr std::size_t kMostRuns = 10'000;

struct Axis {
  std::string path;
  Array values;
};

// Both forms: "algorithm.kind" = [...] and algorithm.kind = [...].
void collect_axes(const Table& table, const std::string& prefix, std::vector<Axis>& axes,
                  Problems& problems) {
  for (const auto& [key, value] : table.entries) {
    std::string path = prefix.empty() ? key : prefix + "." + key;
    if (value.is_table()) {
      collect_axes(std::get<Table>(value.data), path, axes, problems);
    } else if (!value.is_array() || std::get<Array>(value.data).empty()) {
      problems.add(value.where, "sweep." + path + " = " + value.text() + ": must be a list of values to try");
    } else {
      std::erase_if(axes, [&](const Axis& axis) { return axis.path == path; });
      axes.push_back({path, std::get<Array>(value.data)});
    }
  }
}

// "ifca" for algorithm.kind, "rate=0.1" for local.rate, with what a folder's name cannot hold replaced.
std::string label_of(const Axis& axis, const Value& value) {
  std::string name = axis.path.substr(axis.path.rfind('.') + 1);
  std::string text =
      std::holds_alternative<std::string>(value.data) ? std::get<std::string>(value.data) : value.text();
  bool speaks_for_itself =
      name == "kind" || name == "source" || name == "partition" || name == "init" || name == "solver";
  std::string label = speaks_for_itself ? text : name + "=" + text;
  std::replace_if(
      label.begin(), label.end(), [](char c) { return c == '/' || c == ' ' || c == ','; }, '_');
  return label;
}

// A folder's name has at most 255 bytes: a longer label keeps its start and gets a checksum of the whole.
std::string fitting(const std::string& label) {
  constexpr std::size_t kMost = 255, kStart = 180;
  if (label.size() <= kMost) return label;
  std::size_t end = kStart;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80) --end;  // inside a character
  return label.substr(0, end) + "-" + md5_of(label);
}

}  // namespace

Override parse_override(const std::string& text) {
  std::size_t equals = text.find('=');
  Where where{"--set " + text, 0};
  Problems problems;
  if (equals == std::string::npos || equals == 0) {
    problems.add(where, "must have the form section.key=value");
    problems.raise_if_any();
  }
  std::string path = text.substr(0, equals);
  std::erase(path, '"');  // as in a config: sweep."algorithm.kind"
  std::string value = text.substr(equals + 1);
  Override result{path, {value, where}};
  if (value == "nan") return result;  // no option takes it for a number, and an attack has that name
  try {
    Table parsed = parse_toml("v = " + value, "--set");
    if (const Value* v = parsed.find("v"); v != nullptr && parsed.entries.size() == 1) result.value = *v;
  } catch (const BadConfig&) {
    // Not TOML: a bare word, as in --set algorithm.kind=ifca.
  }
  result.value.where = where;
  return result;
}

std::vector<PlannedRun> plan_runs(Table table, const std::vector<Override>& overrides, Problems& problems) {
  std::vector<Axis> axes;
  for (const Override& one : overrides) {
    if (one.path.starts_with("sweep.")) set_path(table, one.path, one.value);
  }
  if (const Value* sweep = table.find("sweep"); sweep != nullptr && sweep->is_table()) {
    collect_axes(std::get<Table>(sweep->data), "", axes, problems);
  } else if (sweep != nullptr) {
    problems.add(sweep->where, "sweep must be a table: [sweep]");
  }
  table.erase("sweep");
  for (const Override& one : overrides) {
    if (one.path.starts_with("sweep.")) continue;
    set_path(table, one.path, one.value);
    std::erase_if(axes, [&](const Axis& axis) { return axis.path == one.path; });
  }
  std::size_t product = 1;
  for (const Axis& axis : axes) {
    product *= axis.values.size();
    if (product > kMostRuns) {
      problems.add(axis.values.front().where,
                   fmt::format("sweep.{} makes this a sweep of {} runs or more; at most {} are allowed",
                               axis.path, product, kMostRuns));
      return {};
    }
  }
  std::vector<PlannedRun> runs{{"", table}};
  for (const Axis& axis : axes) {
    std::vector<PlannedRun> more;
    for (const PlannedRun& run : runs) {
      for (const Value& value : axis.values) {
        PlannedRun next = run;
        next.label += (next.label.empty() ? "" : ",") + label_of(axis, value);
        set_path(next.table, axis.path, value);
        more.push_back(std::move(next));
      }
    }
    runs = std::move(more);
  }
  for (PlannedRun& run : runs) run.label = fitting(run.label);
  return runs;
}

}  // namespace coterie
