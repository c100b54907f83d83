#include "report/split_tree.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <set>

#include "base/text.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/members.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostEdits = 200;
constexpr std::size_t kNamesTold = 8;

// A cluster from one event to the next. A split ends it: what stays and what goes are its children.
struct Node {
  std::string came;                 // how it came to be
  std::vector<std::string> joined;  // mergers into it, as HTML
  std::string why;                  // its end, as HTML; empty: it lives on
  std::vector<Node*> children;
};

// The numbers of an event that are not names of clusters or counts of clients.
std::string causes(const EventLine& event) {
  static const std::set<std::string> kNot = {"cluster", "part",  "clusters",  "stay", "go",
                                             "gone",    "truth", "undecided", "heard"};
  std::vector<std::string> parts;
  for (const auto& [name, value] : event.numbers) {
    if (!kNot.contains(name) && !name.starts_with("path_"))
      parts.push_back(name + " = " + number_text(value));
  }
  return join(parts, ", ");
}

class Tree {
 public:
  explicit Tree(const RunFacts& facts) : facts_(facts) {
    for (const ClientRow& client : facts.clients) clients_[client.id] = &client;
  }

  std::string html() {
    std::size_t told = 0;
    for (const EventLine& event : facts_.events) {
      if (event.kind != "split" && event.kind != "merged" && event.kind != "removed") continue;
      if (++told > kMostEdits) return "";  // no picture to read; the events are in their table
      if (!take(event)) return "";
    }
    if (told == 0) return "";
    std::string out = "<ul class=\"tree\">\n";
    for (const Node* root : roots_) out += item(*root);
    return out + "</ul>\n";
  }

 private:
  Node* add(const std::string& came) {
    nodes_.push_back({came, {}, "", {}});
    return &nodes_.back();
  }
  // Clusters that are there before the first event.
  void begin(std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      roots_.push_back(add(fmt::format("cluster {}", k)));
      now_.push_back(roots_.back());
    }
  }
  std::string moved(const EventLine& event) const {
    std::vector<const ClientRow*> some;
    for (const std::uint32_t id : event.clients) {
      if (const auto it = clients_.find(id); it != clients_.end()) some.push_back(it->second);
    }
    return some.empty() ? "" : ": " + first_names(some, kNamesTold);
  }
  std::string told(const EventLine& event, const std::string& what) const {
    const std::string numbers = causes(event);
    return fmt::format("<div>round {}: {}</div><div class=\"why\">{}</div>", event.round, escape_html(what),
                       escape_html(numbers));
  }

  // False when the events do not fit together.
  bool take(const EventLine& event) {
    const double after = event.number("clusters");
    const double cluster = event.number("cluster");
    const double part = event.number("part");
    if (now_.empty()) {
      const double before = !std::isfinite(after)   ? 1
                            : event.kind != "split" ? after + 1
                            : std::isfinite(part)   ? after - 1
                                                    : 1;
      if (!(before >= 1) || before > 64) return false;
      begin(static_cast<std::size_t>(before));
    }
    if (event.kind == "split" && !std::isfinite(part)) return fall_apart(event, after);
    const auto at = [&](double k) { return k >= 0 && k < static_cast<double>(now_.size()); };
    if (!at(cluster)) return false;
    Node*& node = now_[static_cast<std::size_t>(cluster)];
    if (event.kind == "split") {
      if (part != static_cast<double>(now_.size())) return false;
      node->why = told(event, "splits");
      const std::string stay = fmt::format("cluster {}: {} stay", number_text(cluster),
                                           counted_text(event.number("stay"), "client"));
      const std::string go = fmt::format("cluster {}: {} go{}", number_text(part),
                                         counted_text(event.number("go"), "client"), moved(event));
      Node* const stays = add(stay);
      Node* const goes = add(go);
      node->children = {stays, goes};
      now_[static_cast<std::size_t>(cluster)] = stays;
      now_.push_back(goes);
      return true;
    }
    const double gone = event.kind == "merged" ? event.number("gone") : cluster;
    if (!at(gone)) return false;
    Node* const leaver = now_[static_cast<std::size_t>(gone)];
    if (event.kind == "merged") {
      node->joined.push_back(told(event, fmt::format("cluster {} joins{}", number_text(gone), moved(event))));
      leaver->why = told(event, fmt::format("joins cluster {}", number_text(cluster)));
    } else {
      leaver->why = told(event, "is removed: it is nobody's first choice");
    }
    now_.erase(now_.begin() + static_cast<std::ptrdiff_t>(gone));
    return true;
  }
  // One event that divides everybody at once.
  bool fall_apart(const EventLine& event, double parts) {
    if (now_.size() != 1 || !(parts >= 2) || parts > 64) return false;
    Node* const whole = now_[0];
    whole->why = told(event, fmt::format("falls into {} clusters", number_text(parts)));
    now_.clear();
    for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k) {
      whole->children.push_back(add(fmt::format("cluster {}", k)));
      now_.push_back(whole->children.back());
    }
    return true;
  }

  std::string item(const Node& node) const {
    std::string html = "<li>";
    const auto place = std::find(now_.begin(), now_.end(), &node);
    if (place != now_.end()) {
      const auto id = static_cast<std::uint32_t>(place - now_.begin());
      std::vector<const ClientRow*> members;
      for (const ClientRow& client : facts_.clients) {
        if (client.role == "train" && client.cluster == id) members.push_back(&client);
      }
      html += "<div>" + escape_html(node.came) + "</div>";
      for (const std::string& one : node.joined) html += one;
      html +=
          fmt::format("<div>{}<b>{}</b> at the end: {}</div>", colour_key(id), escape_html(cluster_name(id)),
                      escape_html(counted(members.size(), "client") +
                                  (members.empty() ? "" : ", " + first_names(members, kNamesTold))));
      return html + "</li>\n";
    }
    html += "<div>" + escape_html(node.came) + "</div>";
    for (const std::string& one : node.joined) html += one;
    html += node.why;
    if (!node.children.empty()) {
      html += "\n<ul>\n";
      for (const Node* child : node.children) html += item(*child);
      html += "</ul>\n";
    }
    return html + "</li>\n";
  }

  const RunFacts& facts_;
  std::map<std::uint32_t, const ClientRow*> clients_;
  std::deque<Node> nodes_;
  std::vector<Node*> roots_;
  std::vector<Node*> now_;  // by the number that a cluster has at the moment
};

}  // namespace

std::string split_tree_card(const RunFacts& facts) {
  const std::string tree = Tree(facts).html();
  if (tree.empty()) return "";
  return html_card("How the clusters came to be",
                   tree + html_note("Splits, mergers and removals by round, with the numbers that caused "
                                    "them. Numbers of clusters are those of the time; at the end of a branch "
                                    "stands the cluster of the result."));
}

}  // namespace coterie
