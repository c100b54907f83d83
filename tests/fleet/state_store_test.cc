#include "fleet/state_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/temp_folder.h"

namespace coterie::state_store_test {
namespace {

Bytes blob(std::size_t length, int value) { return Bytes(length, static_cast<std::byte>(value)); }

Bytes index_of(StateStore& store) {
  Archive a = Archive::writer(Precision::f64);
  store.save(a);
  return a.take();
}

void load_index(StateStore& store, const Bytes& index) {
  Archive a = Archive::reader(index, Precision::f64);
  store.load(a);
}

TEST(StateStore, KeepsTheNewestState) {
  StateStore store(3, "");
  EXPECT_TRUE(store.get(1).empty());
  store.put(1, blob(10, 1));
  store.put(1, blob(5, 2));
  EXPECT_EQ(store.get(1), blob(5, 2));
  EXPECT_TRUE(store.get(0).empty());
  store.put(1, {});
  EXPECT_TRUE(store.get(1).empty());
}

TEST(StateStore, GrowsWithoutLosingAnything) {
  StateStore store(50, "");
  for (std::size_t i = 0; i < 50; ++i)
    store.put(static_cast<ClientId>(i), blob(i * i + 1, static_cast<int>(i)));
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(store.get(static_cast<ClientId>(i)), blob(i * i + 1, static_cast<int>(i)));
}

TEST(StateStore, ACheckpointSurvivesLaterWritesAndADeath) {
  TempFolder folder;
  Bytes index;
  {
    StateStore store(4, folder.path());
    store.put(0, blob(8, 1));
    store.put(1, blob(8, 2));
    index = index_of(store);
    store.put(0, blob(8, 3));
    store.put(0, blob(8, 4));
    store.put(2, blob(8, 5));
    EXPECT_EQ(store.get(0), blob(8, 4));
  }  // no save: as if killed
  StateStore again(4, folder.path());
  load_index(again, index);
  EXPECT_EQ(again.get(0), blob(8, 1));
  EXPECT_EQ(again.get(1), blob(8, 2));
  EXPECT_TRUE(again.get(2).empty());
  // And the same once more, after a second checkpoint.
  again.put(0, blob(8, 6));
  index = index_of(again);
  again.put(0, blob(8, 7));
  StateStore third(4, folder.path());
  load_index(third, index);
  EXPECT_EQ(third.get(0), blob(8, 6));
}

TEST(StateStore, GrowingAfterACheckpointKeepsItWhole) {
  TempFolder folder;
  Bytes first;
  Bytes second;
  {
    StateStore store(2, folder.path());
    store.put(0, blob(8, 1));
    first = index_of(store);
    store.put(0, blob(100, 2));
    store.put(1, blob(5000, 3));
    StateStore killed(2, folder.path());
    load_index(killed, first);
    EXPECT_EQ(killed.get(0), blob(8, 1));
    second = index_of(store);
    index_of(store);  // one more: files that only `first` named may go
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1u);
  StateStore again(2, folder.path());
  load_index(again, second);
  EXPECT_EQ(again.get(0), blob(100, 2));
  EXPECT_EQ(again.get(1), blob(5000, 3));
}

// A length beyond its slot would read another client's state.
TEST(StateStore, RefusesAnIndexThatPointsOutsideOfItsSlots) {
  TempFolder folder;
  Bytes index;
  {
    StateStore store(2, folder.path());
    store.put(0, blob(8, 1));
    store.put(1, blob(8, 2));
    index = index_of(store);
  }
  // Room for a state (8 bytes), how many entries (4); then for each its length (4) and its slot (1).
  for (const auto& [at, value] : {std::pair<std::size_t, int>{12, 9}, {16, 2}}) {
    Bytes altered = index;
    altered[at] = static_cast<std::byte>(value);
    StateStore again(2, folder.path());
    EXPECT_THROW(load_index(again, altered), Error) << at;
  }
}

// In pages, from the kernel's account of this process.
std::size_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  file >> size >> resident;
  return resident;
}

TEST(StateStore, HoldsNoPagesOfStatesThatAreInAFile) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "the address sanitizer keeps freed buffers resident, so that pages say nothing of the store";
#endif
  TempFolder folder;
  StateStore store(16, folder.path());
  const std::size_t before = resident_pages();
  for (const std::size_t length : {std::size_t(1) << 19, std::size_t(1) << 20}) {  // it grows on the way
    for (ClientId i = 0; i < 16; ++i) store.put(i, blob(length, static_cast<int>(i)));
  }
  for (ClientId i = 0; i < 16; ++i) EXPECT_EQ(store.get(i), blob(1 << 20, static_cast<int>(i)));
  EXPECT_LT(static_cast<double>(resident_pages()) * 4096 - static_cast<double>(before) * 4096, 4e6)
      << "of 16 MB";
}

TEST(StateStore, AFailedWriteLeavesTheStateThatACheckpointNames) {
  TempFolder folder;
  StateStore store(2, folder.path());
  store.put(1, blob(5000, 1));
  index_of(store);  // a checkpoint: what follows goes to the other slot
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);  // as if the disk were full
  EXPECT_THROW(store.put(1, blob(5000, 2)), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(store.get(1), blob(5000, 1));
  store.put(1, blob(5000, 3));
  EXPECT_EQ(store.get(1), blob(5000, 3));
}

TEST(StateStore, RefusesAnIndexWithoutItsFile) {
  TempFolder folder;
  StateStore store(2, folder.path());
  store.put(0, blob(8, 1));
  Bytes index = index_of(store);
  TempFolder elsewhere;
  StateStore other(2, elsewhere.path());
  EXPECT_THROW(load_index(other, index), Error);
  StateStore wrong_size(3, folder.path());
  EXPECT_THROW(load_index(wrong_size, index), Error);
}

TEST(StateStore, ManyThreadsMayWriteDifferentClients) {
  StateStore store(64, "");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&store, t] {
      for (int round = 1; round <= 20; ++round) {
        for (int i = t; i < 64; i += 4)
          store.put(static_cast<ClientId>(i), blob(static_cast<std::size_t>(round * 10 + i), i));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(store.get(static_cast<ClientId>(i)), blob(static_cast<std::size_t>(200 + i), i));
}

}  // namespace
}  // namespace coterie::state_store_test
