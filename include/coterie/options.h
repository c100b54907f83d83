// Options are declared once (name, default, rule, one sentence) and that declaration parses, validates,
// documents and writes them. A plug-in lists its options in one function:
//
//   void Rotate::options(Options& o) {
//     o("angles", &angles_, "degrees counter-clockwise, one group of clients for each");
//   }
//
// The member's initial value is the default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace coterie {

// A bound on a number (on every number of a list), with the words an error uses: "must be at least 1".
struct Rule {
  std::string text;
  std::function<bool(double)> holds;
};
Rule at_least(double low);
Rule above(double low);
Rule at_most(double high);
Rule between(double low, double high);  // both ends allowed
Rule share();                           // between 0 and 1

// A number, or "auto": the program finds it.
struct AutoNumber {
  std::optional<double> given;  // none: "auto"
};

// What an option is stored in. optional<> has "unset" as its default.
using OptionTarget =
    std::variant<bool*, std::int64_t*, double*, std::string*, AutoNumber*, std::optional<double>*,
                 std::optional<std::int64_t>*, std::optional<std::string>*, std::vector<double>*,
                 std::vector<std::int64_t>*, std::vector<std::string>*, std::vector<std::vector<double>>*>;

struct OptionInfo {
  std::string name;
  std::string sentence;
  Rule rule;                         // numbers only; empty text: any
  std::vector<std::string> choices;  // strings only; empty: any
};

// Visits declared options; the parser, the documentation and the writer of resolved configs are the visitors.
class Options {
 public:
  virtual ~Options() = default;

  void operator()(std::string name, OptionTarget target, std::string sentence, Rule rule = {}) {
    visit({std::move(name), std::move(sentence), std::move(rule), {}}, target);
  }
  void choice(std::string name, std::string& target, std::vector<std::string> choices, std::string sentence) {
    visit({std::move(name), std::move(sentence), {}, std::move(choices)}, &target);
  }
  // A table inside this one: parts = { train = 0.8, test = 0.2 }.
  virtual void section(const std::string& name, const std::string& sentence,
                       const std::function<void(Options&)>& inside) = 0;
  // A rule over several options ("needs eps1 < eps2"): reported against the named option when it does not
  // hold.
  virtual void require(bool holds, const std::string& option, const std::string& what) = 0;
  // The table that is being read, by its full name ("algorithm.odcl"); empty when none is.
  virtual std::string path() const { return ""; }

 protected:
  virtual void visit(const OptionInfo& info, OptionTarget target) = 0;
};

}  // namespace coterie
