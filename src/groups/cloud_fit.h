// The best of several climbs.
#pragma once

#include <cstddef>

#include "coterie/random.h"
#include "groups/em.h"
#include "groups/estimate.h"

namespace coterie {

struct MixtureOptions;
struct GroupMixture;

// Short climbs from k-means++ starts; the best two go on to the end.
EmFit fit_cloud(const Cloud& cloud, std::size_t groups, const MixtureOptions& options, Stream& stream);

// What is told of a fit: groups in order of their shares, means and T in all coordinates.
GroupMixture described(const Estimates& estimates, const EmFit& fit, const MixtureOptions& options);

}  // namespace coterie
