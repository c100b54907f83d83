#include "mpi_ranks.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "base/launch.h"
#include "base/text.h"
#include "coterie/error.h"

namespace coterie {
namespace {

// MPI counts in int.
constexpr std::size_t kMost = std::size_t{1} << 30;
// What is gathered in one call lies in memory twice.
constexpr std::size_t kAtOnce = std::size_t{1} << 22;

class MpiRanks : public Ranks {
 public:
  explicit MpiRanks(const Launch& launch) {
    // Ranks that share a core must give it to each other while they wait.
    if (launch.here > std::max(1u, std::thread::hardware_concurrency())) {
      setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    }
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    int rank = 0, count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    rank_ = static_cast<unsigned>(rank);
    count_ = static_cast<unsigned>(count);
    // For failures, whatever else is under way.
    MPI_Comm_dup(MPI_COMM_WORLD, &ends_);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  unsigned rank() const override { return rank_; }
  unsigned count() const override { return count_; }

  void sum(std::span<std::int64_t> numbers) override {
    ++spent.merges;
    spent.bytes += numbers.size_bytes();
    for (std::size_t begin = 0; begin < numbers.size(); begin += kMost) {
      const auto length = static_cast<int>(std::min(kMost, numbers.size() - begin));
      MPI_Allreduce(MPI_IN_PLACE, numbers.data() + begin, length, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
  }

  std::vector<Bytes> gather(const Bytes& own) override {
    ++spent.merges;
    spent.bytes += own.size();
    std::vector<std::uint64_t> sizes(count_);
    const std::uint64_t size = own.size();
    MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    const bool at_once = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) <= kAtOnce;
    return at_once ? gather_at_once(own, sizes) : gather_by_rank(own, sizes);
  }

  bool all_failed() override {
    using Clock = std::chrono::steady_clock;
    constexpr auto kMoments = std::chrono::milliseconds(2000), kEachRank = std::chrono::milliseconds(50);
    // Of several that fail apart from the others, the first speaks, and ends the rest.
    const auto until = Clock::now() + kMoments + std::min(rank_, 40u) * kEachRank;
    MPI_Request request;
    MPI_Ibarrier(ends_, &request);
    for (int done = 0; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
    }
    return false;
  }
  void end_all(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  std::vector<Bytes> gather_at_once(const Bytes& own, const std::vector<std::uint64_t>& sizes) const {
    std::vector<int> counts(sizes.begin(), sizes.end()), places(count_);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    Bytes all(static_cast<std::size_t>(places.back() + counts.back()));
    MPI_Allgatherv(own.data(), counts[rank_], MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
    std::vector<Bytes> parts;
    for (unsigned r = 0; r < count_; ++r) {
      const auto begin = all.begin() + places[r];
      parts.emplace_back(begin, begin + counts[r]);
    }
    return parts;
  }
  std::vector<Bytes> gather_by_rank(const Bytes& own, const std::vector<std::uint64_t>& sizes) const {
    std::vector<Bytes> parts;
    for (unsigned r = 0; r < count_; ++r) {
      Bytes part = r == rank_ ? own : Bytes(sizes[r]);
      for (std::size_t begin = 0; begin < part.size(); begin += kMost) {
        const auto length = static_cast<int>(std::min(kMost, part.size() - begin));
        MPI_Bcast(part.data() + begin, length, MPI_BYTE, static_cast<int>(r), MPI_COMM_WORLD);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  unsigned rank_ = 0;
  unsigned count_ = 1;
  MPI_Comm ends_ = MPI_COMM_NULL;
};

}  // namespace

Ranks& mpi_ranks() {
  const Launch launch = launch_of_environment();
  if (launch.count == 1) return alone();
  static MpiRanks ranks(launch);
  if (ranks.count() != launch.count) {
    throw Error(
        fmt::format("the launcher started {}, but MPI knows of {}: coterie is built with Open MPI, so start "
                    "it with Open MPI's mpirun, or with srun --mpi=pmix",
                    counted(launch.count, "process"), ranks.count()));
  }
  return ranks;
}

}  // namespace coterie
