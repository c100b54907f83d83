// Texts of errors, and the guess at what a misspelt name was meant to be.
#include "coterie/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/excerpt.h"
#include "base/text.h"

namespace coterie {

namespace {

// A message is for a person, and fits on a screen whatever it quotes.
constexpr std::size_t kLongestProblem = 1500;  // characters
constexpr std::size_t kMostProblems = 1000;    // further ones are not kept
constexpr std::size_t kMostShown = 40;         // of problems
constexpr std::size_t kLongestList = 1000;     // characters of known names

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Insertions, deletions, substitutions and swaps of neighbours that lead from a to b (optimal string
// alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Where::text() const { return line > 0 ? fmt::format("{}:{}", file, line) : file; }

void Problems::add(const Where& where, std::string what) {
  if (items_.size() >= kMostProblems) return;
  if (what.size() > kLongestProblem) what = excerpt(what, kLongestProblem);
  for (const Item& item : items_) {
    if (item.where.file == where.file && item.where.line == where.line && item.what == what) return;
  }
  items_.push_back({where, std::move(what)});
}

std::string Problems::text() const {
  std::vector<const Item*> sorted;
  for (const Item& item : items_) sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Item* a, const Item* b) {
    return std::tie(a->where.file, a->where.line) < std::tie(b->where.file, b->where.line);
  });
  const std::size_t more = sorted.size() > kMostShown ? sorted.size() - kMostShown : 0;
  sorted.resize(sorted.size() - more);
  std::string text;
  for (const Item* item : sorted) {
    std::string place = item->where.text();
    if (!text.empty()) text += '\n';
    text += place.empty() ? "error: " + item->what : fmt::format("error: {}: {}", place, item->what);
  }
  if (more > 0) text += fmt::format("\nerror: and {} more mistakes; mend these first", more);
  return text;
}

void Problems::raise_if_any() const {
  if (!empty()) throw BadConfig(text());
}

void check(bool holds, std::string_view what, const char* file, int line) {
  if (!holds) throw Bug(fmt::format("{}:{}: failed check: {}", file, line, what));
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string wanted = lower_case(name);
  std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  std::string nearest;
  std::size_t least = limit + 1;
  for (const std::string& candidate : candidates) {
    // The distance is at least the difference of the lengths.
    if (std::max(wanted.size(), candidate.size()) - std::min(wanted.size(), candidate.size()) > limit)
      continue;
    const std::string known = lower_case(candidate);
    std::size_t distance = edit_distance(wanted, known);
    // Of equals, one with the same letters: they are in the wrong order.
    const bool same_letters = std::is_permutation(wanted.begin(), wanted.end(), known.begin(), known.end());
    const bool nearer = distance < least || (distance == least && same_letters && !nearest.empty());
    // Half or more of a very short name changed is another name, not a slip.
    if (nearer && distance * 2 < std::max(wanted.size(), candidate.size())) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name(std::string_view name, const std::vector<std::string>& known) {
  std::string nearest = nearest_name(name, known);
  if (!nearest.empty())
    return fmt::format("{} is unknown; did you mean {}?", in_quotes(name), in_quotes(nearest));
  if (known.empty()) return fmt::format("{} is unknown", in_quotes(name));
  std::string list;
  std::size_t listed = 0;
  for (; listed < known.size() && list.size() + known[listed].size() <= kLongestList; ++listed) {
    list += (listed > 0 ? ", " : "") + known[listed];
  }
  if (listed < known.size()) list += fmt::format("{}... ({} in all)", listed > 0 ? ", " : "", known.size());
  return fmt::format("{} is unknown; known are {}", in_quotes(name), list);
}

}  // namespace coterie
