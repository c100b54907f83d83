// Clustering on its own: times and certificates of convex clustering, and k-means on points from a file for
// comparison with another program's (clustering.py).
//
//   bench_clustering                              convex: all pairs of 100 and 1000 points, nearest of 10,000
//   bench_clustering kmeans FILE COUNT WIDTH K    FILE holds doubles, point by point
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "clustering/convex.h"
#include "clustering/kmeans.h"
#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// `groups` of them, with means as far apart as their points are on average times `apart`.
Vec points_in_groups(std::size_t count, std::size_t width, std::size_t groups, double apart) {
  Stream stream(1, {Purpose::test, 0, 0, 0});
  Vec values(count * width), means(groups * width);
  stream.normals(means);
  stream.normals(values);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < width; ++c) values[i * width + c] += apart * means[i % groups * width + c];
  }
  return values;
}

void time_convex(const char* what, const Points& points, const std::vector<Edge>& edges, double lambda) {
  const double start = seconds();
  const ConvexClusters found = convex_clustering(points, edges, lambda);
  std::printf("%s,%zu,%zu,%g,%zu,%zu,%.1e,%.1e,%.3f\n", what, points.count, points.width, lambda,
              found.groups, found.iterations, found.gap, found.residual, seconds() - start);
  std::fflush(stdout);
}

void convex() {
  std::puts("edges,points,width,lambda,groups,iterations,gap,residual,seconds");
  for (std::size_t count : {100u, 1000u}) {
    for (double apart : {1.0, 5.0, 20.0}) {
      const Vec values = points_in_groups(count, 20, 10, apart);
      const Points points{values, count, 20};
      const std::vector<Edge> edges = all_pairs(count);
      for (double share : {0.2, 1.0, 3.0, 5.0, 6.0, 8.0}) {
        time_convex("all", points, edges, share * apart / static_cast<double>(count));
      }
    }
  }
  for (auto [width, apart] : {std::pair<std::size_t, double>{20, 1.0}, {20, 5.0}, {2, 5.0}}) {
    const Vec values = points_in_groups(10000, width, 10, apart);
    const Points points{values, 10000, width};
    const double start = seconds();
    const std::vector<Edge> edges = knn_edges(points, 10, 0.5 / static_cast<double>(width));
    std::printf("# neighbours: %.3f s\n", seconds() - start);
    for (double lambda : {0.01, 0.1, 0.5, 1.0, 5.0}) time_convex("knn", points, edges, lambda);
  }
}

int kmeans_of_file(char** arguments) {
  const std::size_t count = std::stoul(arguments[1]), width = std::stoul(arguments[2]);
  Vec values(count * width);
  std::ifstream file(arguments[0], std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw Error(std::string(arguments[0]) + " holds fewer points");
  Stream stream(1, {Purpose::test, 0, 0, 0});
  const double start = seconds();
  const Grouping found = kmeans({values, count, width}, std::stoul(arguments[3]), {}, stream);
  std::printf("%.17g %.6f\n", found.objective, seconds() - start);
  return 0;
}

}  // namespace
}  // namespace coterie

int main(int count, char** arguments) {
  try {
    if (count == 1) {
      coterie::convex();
      return 0;
    }
    if (count == 6 && std::string(arguments[1]) == "kmeans") return coterie::kmeans_of_file(arguments + 2);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: bench_clustering [kmeans FILE COUNT WIDTH K]\n", stderr);
  return 2;
}
