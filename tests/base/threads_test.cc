#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coterie/error.h"

namespace coterie::threads_test {
namespace {

TEST(ThreadPool, CountsTheCaller) {
  EXPECT_EQ(ThreadPool(1).size(), 1u);
  EXPECT_EQ(ThreadPool(4).size(), 4u);
  EXPECT_THROW(ThreadPool(0), Bug);
  EXPECT_GE(hardware_threads(), 1u);
}

TEST(ThreadPool, DoesEveryIndexOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (std::size_t count : {0u, 1u, 2u, 3u, 1000u}) {
      std::vector<int> times(count, 0);  // plain ints: each index has one writer
      std::atomic<unsigned> largest_worker{0};
      pool.for_each(count, [&](std::size_t index, unsigned worker) {
        ++times[index];
        unsigned seen = largest_worker;
        while (worker > seen && !largest_worker.compare_exchange_weak(seen, worker)) {
        }
      });
      EXPECT_EQ(times, std::vector<int>(count, 1)) << threads << " threads, " << count;
      EXPECT_LT(largest_worker, threads);
    }
  }
}

TEST(ThreadPool, GivesWorkersDisjointScratch) {
  ThreadPool pool(4);
  std::vector<std::size_t> done_by(pool.size(), 0);  // no atomics: a worker number is in use once at a time
  for (int loop = 0; loop < 200; ++loop) {
    pool.for_each(50, [&](std::size_t, unsigned worker) { ++done_by[worker]; });
  }
  std::size_t total = 0;
  for (std::size_t done : done_by) total += done;
  EXPECT_EQ(total, 200u * 50u);
}

TEST(ThreadPool, WorksOnSeveralThreadsAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> waiting{0};
  // Each index waits for the other two: it ends only if three threads take part, the caller among them.
  std::atomic<bool> caller_took_part{false};
  auto caller = std::this_thread::get_id();
  std::atomic<bool> late{false};
  pool.for_each(3, [&](std::size_t, unsigned worker) {
    if (std::this_thread::get_id() == caller) {
      caller_took_part = true;
      EXPECT_EQ(worker, 0u);
    }
    ++waiting;
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (waiting < 3) {
      if (std::chrono::steady_clock::now() > limit) {
        late = true;
        return;
      }
      std::this_thread::yield();
    }
  });
  EXPECT_FALSE(late);
  EXPECT_TRUE(caller_took_part);
}

TEST(ThreadPool, TakesIndicesInOrder) {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  pool.for_each(5, [&](std::size_t index, unsigned) { order.push_back(index); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, RethrowsTheLowestFailureAndSkipsTheRest) {
  for (unsigned threads : {1u, 4u}) {
    ThreadPool pool(threads);
    for (int loop = 0; loop < 50; ++loop) {
      std::atomic<std::size_t> done{0};
      try {
        pool.for_each(100000, [&](std::size_t index, unsigned) {
          ++done;
          if (index >= 10) throw std::runtime_error(std::to_string(index));
          if (index == 9) std::this_thread::sleep_for(std::chrono::microseconds(50));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& failure) {
        EXPECT_STREQ(failure.what(), "10");
      }
      EXPECT_GE(done, 11u);
      EXPECT_LE(done, 11u + threads);
    }
    std::atomic<int> after{0};
    pool.for_each(10, [&](std::size_t, unsigned) { ++after; });
    EXPECT_EQ(after, 10) << "the pool works on after a failure";
  }
}

TEST(ThreadPool, RefusesToBeNested) {
  for (unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    EXPECT_THROW(
        pool.for_each(4, [&](std::size_t, unsigned) { pool.for_each(2, [](std::size_t, unsigned) {}); }),
        Bug);
    std::atomic<int> after{0};
    pool.for_each(3, [&](std::size_t, unsigned) { ++after; });
    EXPECT_EQ(after, 3);
  }
}

}  // namespace
}  // namespace coterie::threads_test
