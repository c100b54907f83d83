// The three visitors of declared options: the parser, the documentation and the writer.
#include "coterie/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/option_readers.h"
#include "base/text.h"

namespace coterie {

namespace {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// "an integer", "a list of numbers": what an error says is wanted.
template <class T>
std::string wanted(bool plural = false) {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return plural ? "integers" : "an integer";
  } else if constexpr (std::is_same_v<T, double>) {
    return plural ? "numbers" : "a number";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return plural ? "strings" : "a string";
  } else if constexpr (std::is_same_v<T, AutoNumber>) {
    return "a number or \"auto\"";
  } else if constexpr (IsOptional<T>::value) {
    return wanted<typename T::value_type>();
  } else {
    return (plural ? "lists of " : "a list of ") + wanted<typename T::value_type>(true);
  }
}

// Reads one value into one target; a mistake is reported with the name of the very element it is in.
class ValueReader {
 public:
  ValueReader(const OptionInfo& info, Problems& problems) : info_(info), problems_(problems) {}

  template <class T>
  bool read(const Value& from, const std::string& name, T& to) {
    if constexpr (std::is_same_v<T, AutoNumber>) {
      if (const auto* word = std::get_if<std::string>(&from.data); word != nullptr) {
        if (*word != "auto") return refuse(from, name, "must be " + wanted<T>());
        to.given.reset();
        return true;
      }
      double number = 0;
      if (!std::holds_alternative<double>(from.data) && !std::holds_alternative<std::int64_t>(from.data))
        return refuse(from, name, "must be " + wanted<T>());
      if (!read(from, name, number)) return false;
      to.given = number;
      return true;
    } else if constexpr (IsOptional<T>::value) {
      typename T::value_type inner{};
      if (!read(from, name, inner)) return false;
      to = std::move(inner);
      return true;
    } else if constexpr (IsVector<T>::value) {
      // A single name stands for a list of one.
      if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        if (const auto* one = std::get_if<std::string>(&from.data)) return put(to, T{*one});
      }
      const Array* items = std::get_if<Array>(&from.data);
      if (items == nullptr) return refuse(from, name, "must be " + wanted<T>());
      T read_items;
      bool good = true;
      for (std::size_t i = 0; i < items->size(); ++i) {
        typename T::value_type item{};
        good &= read((*items)[i], fmt::format("{}[{}]", name, i), item);
        read_items.push_back(std::move(item));
      }
      if (good) to = std::move(read_items);
      return good;
    } else if constexpr (std::is_same_v<T, double>) {
      double number = 0;
      if (const double* given = std::get_if<double>(&from.data)) {
        number = *given;
      } else if (const auto* integer = std::get_if<std::int64_t>(&from.data)) {
        number = static_cast<double>(*integer);
      } else {
        return refuse(from, name, "must be " + wanted<T>());
      }
      if (!std::isfinite(number)) return refuse(from, name, "must be finite");
      return obeys_rule(from, name, number) && put(to, number);
    } else {
      const T* given = std::get_if<T>(&from.data);
      if (given == nullptr && !info_.choices.empty()) return refuse(from, name, must_be_a_choice());
      if (given == nullptr) return refuse(from, name, "must be " + wanted<T>());
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (!obeys_rule(from, name, static_cast<double>(*given))) return false;
      }
      if constexpr (std::is_same_v<T, std::string>) {
        bool allowed = info_.choices.empty() ||
                       std::find(info_.choices.begin(), info_.choices.end(), *given) != info_.choices.end();
        if (!allowed) {
          problems_.add(from.where, fmt::format("{} = {}", name, unknown_name(*given, info_.choices)));
          return false;
        }
      }
      return put(to, *given);
    }
  }

 private:
  template <class T>
  static bool put(T& to, const T& from) {
    to = from;
    return true;
  }
  bool refuse(const Value& value, const std::string& name, const std::string& why) {
    problems_.add(value.where, fmt::format("{} = {}: {}", name, value.text(), why));
    return false;
  }
  // A number where a word is wanted means something else by this name: the sentence tells what it is for.
  std::string must_be_a_choice() const {
    std::vector<std::string> quoted;
    for (const std::string& one : info_.choices) quoted.push_back("\"" + one + "\"");
    return fmt::format("must be {} ({})", either(quoted), info_.sentence);
  }
  bool obeys_rule(const Value& value, const std::string& name, double number) {
    return !info_.rule.holds || info_.rule.holds(number) || refuse(value, name, info_.rule.text);
  }

  const OptionInfo& info_;
  Problems& problems_;
};

template <class T>
Value to_value(const T& from) {
  if constexpr (IsVector<T>::value) {
    Array items;
    for (const auto& item : from) items.push_back(to_value(item));
    return Value{std::move(items), {}};
  } else if constexpr (std::is_same_v<T, AutoNumber>) {
    return from.given ? Value{*from.given, {}} : Value{std::string("auto"), {}};
  } else {
    return Value{from, {}};
  }
}

// The present value of a target; nothing when it is an optional that is unset.
std::optional<Value> present_value(OptionTarget target) {
  return std::visit(
      [](auto* at) -> std::optional<Value> {
        if constexpr (IsOptional<std::remove_pointer_t<decltype(at)>>::value) {
          return *at ? std::optional(to_value(**at)) : std::nullopt;
        } else {
          return to_value(*at);
        }
      },
      target);
}

// Full names in quotes of options elsewhere that are called like an unknown key; empty when there are none,
// or too many to be of use.
std::string namesakes(const std::string& key, const std::vector<std::string>& directory) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> found;
  for (const std::string& full : directory) {
    if (full.ends_with("." + key)) found.push_back("\"" + full + "\"");
  }
  return found.size() <= kMost ? either(found) : "";
}

// Kinds in documentation have no article: "list of integers".
std::string kind_of(const OptionInfo& info, OptionTarget target) {
  if (!info.choices.empty()) return "one of " + join(info.choices, ", ");
  std::string kind =
      std::visit([](auto* at) { return wanted<std::remove_pointer_t<decltype(at)>>(); }, target);
  if (kind.starts_with("a ")) return kind.substr(2);
  if (kind.starts_with("an ")) return kind.substr(3);
  return kind;
}

}  // namespace

Rule at_least(double low) {
  return {fmt::format("must be at least {}", low), [low](double x) { return x >= low; }};
}
Rule above(double low) {
  return {fmt::format("must be above {}", low), [low](double x) { return x > low; }};
}
Rule at_most(double high) {
  return {fmt::format("must be at most {}", high), [high](double x) { return x <= high; }};
}
Rule between(double low, double high) {
  return {fmt::format("must be between {} and {}", low, high),
          [low, high](double x) { return x >= low && x <= high; }};
}
Rule share() { return between(0, 1); }

OptionParser::OptionParser(const Table& table, std::string path, Where where, Problems& problems)
    : table_(table), path_(std::move(path)), where_(std::move(where)), problems_(problems) {}

void OptionParser::visit(const OptionInfo& info, OptionTarget target) {
  claim(info.name);
  const Value* given = table_.find(info.name);
  if (given == nullptr) return;
  const bool good = std::visit(
      [&](auto* at) { return ValueReader(info, problems_).read(*given, full_name(info.name), *at); }, target);
  if (!good) refused_.push_back(info.name);
}

void OptionParser::section(const std::string& name, const std::string&,
                           const std::function<void(Options&)>& inside) {
  claim(name);
  const Value* given = table_.find(name);
  if (given != nullptr && !given->is_table()) {
    problems_.add(given->where, fmt::format("{} = {}: must be a table", full_name(name), given->text()));
    given = nullptr;
  }
  // Rules over several options are checked on the defaults too, so an absent section is read as an empty one.
  const Table none;
  OptionParser inner(given != nullptr ? std::get<Table>(given->data) : none, full_name(name),
                     given != nullptr ? given->where : where_, problems_);
  inner.directory_ = directory_;
  inside(inner);
  inner.finish();
}

void OptionParser::require(bool holds, const std::string& option, const std::string& what) {
  if (holds) return;
  const Value* given = table_.find(option);
  if (given != nullptr) {
    problems_.add(given->where, fmt::format("{} = {}: {}", full_name(option), given->text(), what));
  } else {
    problems_.add(where_, fmt::format("{}: {}", full_name(option), what));
  }
}

void OptionParser::claim(const std::string& name) { known_.push_back(name); }

void OptionParser::belongs(const std::string& name, const std::string& place) {
  elsewhere_.emplace_back(name, place);
}

void OptionParser::renamed(const std::string& before, const std::string& now) {
  renamed_.emplace_back(before, now);
}

std::string OptionParser::text(const std::string& name) const {
  const Value* given = table_.find(name);
  const auto* text = given == nullptr ? nullptr : std::get_if<std::string>(&given->data);
  return text == nullptr ? "" : *text;
}

void OptionParser::refuse(const std::string& name, const std::string& why) {
  claim(name);
  refused_.push_back(name);
  problems_.add(table_.find(name)->where,
                fmt::format("{} = {} {}", full_name(name), table_.find(name)->text(), why));
}

bool OptionParser::refused(const std::string& name) const {
  return std::find(refused_.begin(), refused_.end(), name) != refused_.end();
}

std::string OptionParser::unknown_text(const std::string& key) const {
  const std::string name = full_name(key);
  auto entry = [&](const std::vector<std::pair<std::string, std::string>>& pairs) -> const std::string* {
    for (const auto& [from, to] : pairs) {
      if (from == key) return &to;
    }
    return nullptr;
  };
  if (const std::string* now = entry(renamed_)) {
    return fmt::format("{} is now called \"{}\"", name, full_name(*now));
  }
  if (const std::string* place = entry(elsewhere_)) {
    return fmt::format("{} is unknown; did you mean \"{}\"?", name, *place);
  }
  const std::string others = directory_ != nullptr ? namesakes(key, *directory_) : "";
  // Another plug-in, in the place of the one that is chosen here, has it.
  const bool of_another = others.find('"' + name + '"') != std::string::npos;
  if (!others.empty() && !of_another) return fmt::format("{} is unknown; did you mean {}?", name, others);
  const std::string nearest = of_another ? "" : nearest_name(key, known_);
  if (!nearest.empty()) return fmt::format("{} is unknown; did you mean \"{}\"?", name, full_name(nearest));
  const std::string what = chosen_ ? fmt::format("{} = \"{}\" has no option \"{}\"",
                                                 full_name(chosen_->first), chosen_->second, key)
                                   : name + " is unknown";
  return known_.empty() ? what : what + "; known are " + join(known_, ", ");
}

void OptionParser::finish() {
  for (const auto& [key, value] : table_.entries) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      problems_.add(value.where, unknown_text(key));
    }
  }
}

void OptionLister::visit(const OptionInfo& info, OptionTarget target) {
  std::optional<Value> fallback = present_value(target);
  docs.push_back({prefix_ + info.name, kind_of(info, target), fallback ? fallback->text() : "",
                  info.rule.text, info.sentence});
}

void OptionLister::section(const std::string& name, const std::string& sentence,
                           const std::function<void(Options&)>& inside) {
  docs.push_back({prefix_ + name, "table", "", "", sentence});
  std::string outside = prefix_;
  prefix_ += name + ".";
  inside(*this);
  prefix_ = outside;
}

void OptionWriter::visit(const OptionInfo& info, OptionTarget target) {
  if (std::optional<Value> value = present_value(target)) table_->set(info.name, std::move(*value));
}

void OptionWriter::section(const std::string& name, const std::string&,
                           const std::function<void(Options&)>& inside) {
  Table inner;
  OptionWriter writer(inner);
  inside(writer);
  if (!inner.entries.empty()) table_->set(name, {std::move(inner), {}});
}

}  // namespace coterie
