#include "fleet/gram_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace coterie::gram_cache_test {
namespace {

using Matrix4 = std::vector<double>;  // 32 bytes

std::shared_ptr<const Samples> some_samples() { return std::make_shared<const Samples>(); }

// Asks for a client's matrix, which is four times `value`; says whether it had to be made.
bool made(GramCache& cache, ClientId client, const std::shared_ptr<const Samples>& samples, double value) {
  bool called = false;
  const auto matrix = cache.get<double>(client, samples, [&] {
    called = true;
    return Matrix4(4, value);
  });
  EXPECT_EQ(*matrix, Matrix4(4, value));
  return called;
}

TEST(GramCache, MakesEachMatrixOnce) {
  GramCache cache(1);
  const auto one = some_samples(), two = some_samples();
  const auto held_one = one, held_two = two;
  EXPECT_TRUE(made(cache, 1, one, 5));
  EXPECT_TRUE(made(cache, 2, two, 6));
  EXPECT_FALSE(made(cache, 1, one, 5));
  EXPECT_FALSE(made(cache, 2, two, 6));
}

TEST(GramCache, KeepsNoMoreThanItsBudget) {
  GramCache cache(70e-9);  // two matrices and a bit
  std::vector<std::shared_ptr<const Samples>> samples;
  for (ClientId i = 0; i < 3; ++i) samples.push_back(some_samples());
  const auto held = samples;
  for (ClientId i = 0; i < 3; ++i) EXPECT_TRUE(made(cache, i, samples[i], i));
  EXPECT_FALSE(made(cache, 0, samples[0], 0));
  EXPECT_FALSE(made(cache, 1, samples[1], 1));
  EXPECT_TRUE(made(cache, 2, samples[2], 2));
  GramCache none(0);
  EXPECT_TRUE(made(none, 0, samples[0], 0));
  EXPECT_TRUE(made(none, 0, samples[0], 0));
}

TEST(GramCache, NewSamplesReplaceTheOldAndTheirRoom) {
  GramCache cache(40e-9);  // one matrix
  for (int epoch = 0; epoch < 4; ++epoch) {
    const auto samples = some_samples();
    const auto held = samples;
    EXPECT_TRUE(made(cache, 7, samples, epoch));
    EXPECT_FALSE(made(cache, 7, samples, epoch));
  }
}

TEST(GramCache, DoesNotKeepWhatNobodyCouldAskForAgain) {
  GramCache cache(40e-9);
  const auto passing = some_samples();
  EXPECT_TRUE(made(cache, 1, passing, 1));
  const auto samples = some_samples();
  const auto held = samples;
  EXPECT_TRUE(made(cache, 2, samples, 2));
  EXPECT_FALSE(made(cache, 2, samples, 2)) << "the room was taken";
}

TEST(GramCache, ServesManyThreads) {
  GramCache cache(10 * 32e-9 + 1e-9);
  std::vector<std::shared_ptr<const Samples>> samples;
  for (ClientId i = 0; i < 20; ++i) samples.push_back(some_samples());
  const auto held = samples;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 500; ++turn) {
        const auto i = static_cast<ClientId>((turn * 7 + t) % 20);
        const auto matrix = cache.get<double>(i, samples[i], [&] { return Matrix4(4, i); });
        if (*matrix != Matrix4(4, i)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace coterie::gram_cache_test
