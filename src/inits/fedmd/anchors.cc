#include "inits/fedmd/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "clustering/agglomerative.h"
#include "clustering/groups.h"
#include "clustering/kmeans.h"
#include "math/kernels.h"

namespace coterie {

std::vector<std::size_t> AnchorDescent::moving() const {
  std::vector<std::size_t> all;
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    if (moves[a]) all.push_back(a);
  }
  return all;
}

void AnchorDescent::append(AnchorDescent more) {
  anchors.insert(anchors.end(), more.anchors.begin(), more.anchors.end());
  std::move(more.models.begin(), more.models.end(), std::back_inserter(models));
  moves.resize(anchors.size(), false);
}

std::vector<ClientId> choose_anchors(const Fleet& fleet, const std::string& how, std::size_t count,
                                     const std::vector<std::int64_t>& ids, std::size_t needed,
                                     const std::vector<ClientId>& taken, Stream stream) {
  std::vector<ClientId> anchors;
  if (how == "ids") {
    for (const std::int64_t id : ids) {
      if (static_cast<std::size_t>(id) >= fleet.clients()) {
        throw Error(fmt::format("clusters.fedmd.ids: there is no training client {}; ids go from 0 to {}", id,
                                fleet.clients() - 1));
      }
      anchors.push_back(static_cast<ClientId>(id));
      if (fleet.samples(anchors.back()) < needed) {
        throw Error(fmt::format("clusters.fedmd.ids: client {} has {} training samples; an anchor needs {}",
                                id, fleet.samples(anchors.back()), needed));
      }
    }
  } else {
    for (const std::uint32_t i : stream.permutation(fleet.clients())) {
      if (fleet.samples(i) >= needed) anchors.push_back(i);
    }
    if (anchors.empty()) {
      throw Error(fmt::format(
          "clusters.init = \"fedmd\": no client has the {} training samples that an anchor needs", needed));
    }
    std::erase_if(anchors,
                  [&](ClientId i) { return std::find(taken.begin(), taken.end(), i) != taken.end(); });
    if (how == "size") {
      std::stable_sort(anchors.begin(), anchors.end(),
                       [&](ClientId a, ClientId b) { return fleet.samples(a) > fleet.samples(b); });
    }
    anchors.resize(std::min(anchors.size(), count));
  }
  std::sort(anchors.begin(), anchors.end());
  anchors.erase(std::unique(anchors.begin(), anchors.end()), anchors.end());
  return anchors;
}

double AnchorGroups::least_distance() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < means.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) least = std::min(least, squared_distance(means[a], means[b]));
  }
  return means.size() < 2 ? 0 : std::sqrt(least);
}

double AnchorGroups::largest_radius(const std::vector<Vec>& models) const {
  double within = 0;
  for (std::size_t a = 0; a < models.size(); ++a) {
    within = std::max(within, squared_distance(models[a], means[labels[a]]));
  }
  return std::sqrt(within);
}

AnchorGroups group_anchors(const std::vector<Vec>& models, std::size_t k, std::optional<double> delta,
                           Stream stream) {
  Vec values;
  for (const Vec& model : models) values.insert(values.end(), model.begin(), model.end());
  const Points points{values, models.size(), models[0].size()};
  AnchorGroups out;
  if (delta) {
    const Dendrogram joins = agglomerate(points, Linkage::single);
    out.labels = joins.cut_at(std::nextafter(*delta / 2, 0.0));
    out.near = *std::max_element(out.labels.begin(), out.labels.end()) + std::size_t{1};
    if (out.near > k) out.labels = joins.cut_into(k);
  } else {
    out.labels = kmeans(points, std::min(k, points.count), {}, stream).labels;
    // Equal models leave groups of k-means empty.
    std::vector<std::uint32_t> place(points.count, kUnknownCluster);
    std::uint32_t next = 0;
    for (std::uint32_t& label : out.labels) {
      if (place[label] == kUnknownCluster) place[label] = next++;
      label = place[label];
    }
    out.near = next;
  }
  const GroupMeans groups = group_means(points, out.labels);
  for (std::size_t g = 0; g < groups.count(); ++g)
    out.means.emplace_back(groups.mean(g).begin(), groups.mean(g).end());
  return out;
}

Event grouped_event(const std::vector<ClientId>& anchors, const std::vector<Vec>& models,
                    const AnchorGroups& groups, std::size_t k) {
  Event event;
  event.kind = "anchors-grouped";
  const double radius = groups.largest_radius(models);
  std::vector<std::pair<std::string, double>> pairs;
  for (std::size_t a = 0; a < models.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      pairs.emplace_back(fmt::format("distance_{}_{}", anchors[b], anchors[a]),
                         std::sqrt(squared_distance(models[a], models[b])));
    }
  }
  event.text = fmt::format("{} anchors form {} group{}", anchors.size(), groups.means.size(),
                           groups.means.size() == 1 ? "" : "s");
  if (groups.near > k) event.text += fmt::format(", after the nearest of {} were joined", groups.near);
  if (groups.means.size() > 1) {
    event.text += fmt::format("; their means are at least {:.3g} apart", groups.least_distance());
  }
  event.text += fmt::format("; anchors are at most {:.3g} from theirs", radius);
  event.numbers = {{"groups", static_cast<double>(groups.means.size())},
                   {"groups_before_joins", static_cast<double>(groups.near)},
                   {"least_distance", groups.least_distance()},
                   {"largest_radius", radius},
                   {"complete", groups.means.size() == k ? 1.0 : 0.0}};
  event.numbers.insert(event.numbers.end(), pairs.begin(), pairs.end());
  return event;
}

}  // namespace coterie
