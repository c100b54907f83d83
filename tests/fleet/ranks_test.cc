// What ranks agree on, and the states of their clients.
#include "fleet/ranks.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "fleet/state_store.h"
#include "support/temp_folder.h"
#include "support/two_ranks.h"

namespace coterie::ranks_test {
namespace {

Bytes blob(std::size_t length, int value) { return Bytes(length, static_cast<std::byte>(value)); }

template <class Failure>
std::string said_by(Ranks& ranks, const std::function<void()>& work) {
  try {
    together(ranks, work);
  } catch (const Failure& e) {
    return e.what();
  }
  return "";
}

TEST(Ranks, KnowWhatTheFirstHasAndTheLargest) {
  TwoRanks().run([](std::size_t rank, Ranks& ranks) {
    EXPECT_EQ(from_first(ranks, blob(3, static_cast<int>(rank))), blob(3, 0));
    EXPECT_EQ(largest_of(ranks, 10 + rank), 11u);
    EXPECT_TRUE(any_of(ranks, rank == 1));
    EXPECT_FALSE(any_of(ranks, false));
  });
}

TEST(Ranks, ThrowWhatOneOfThemThrew) {
  TwoRanks().run([](std::size_t rank, Ranks& ranks) {
    const auto second = [&] {
      if (rank == 1) throw FileError("cannot write a: the disk is full");
    };
    EXPECT_EQ(said_by<FileError>(ranks, second), "rank 1 of 2: cannot write a: the disk is full");
    const auto both = [&] { throw BadConfig("error: rank " + std::to_string(rank)); };
    EXPECT_EQ(said_by<BadConfig>(ranks, both), "error: rank 0");
    EXPECT_EQ(said_by<Error>(ranks, [] {}), "");
    bool worked = false;
    on_first(ranks, [&] { worked = true; });
    EXPECT_EQ(worked, rank == 0);
  });
}

// Clients 0 and 1 live in one, 2 and 3 in the other, whose states outgrow the file several times before the
// checkpoint and after it.
TEST(Ranks, ShareTheFileOfStates) {
  TempFolder folder;
  Bytes index[2];
  TwoRanks().run([&](std::size_t rank, Ranks& ranks) {
    StateStore store(4, folder.path(), ranks, [&](ClientId i) { return i / 2 == rank; });
    const auto put = [&](std::size_t length, int value) {
      for (ClientId i = 0; i < 2; ++i) {
        store.put(static_cast<ClientId>(2 * rank + i), blob(length + i, value + static_cast<int>(i)));
      }
    };
    put(8, 1);
    if (rank == 1) {
      for (std::size_t length : {50, 400, 3000}) put(length, 11);
    }
    Archive a = Archive::writer(Precision::f64);
    store.save(a);
    index[rank] = a.take();
    put(rank == 0 ? 9000 : 10, 21);
    EXPECT_EQ(store.get(static_cast<ClientId>(2 * rank)), blob(rank == 0 ? 9000 : 10, 21));
  });  // as if killed
  EXPECT_EQ(index[0], index[1]);
  const auto expect_states = [&](const StateStore& store, ClientId i) {
    EXPECT_EQ(store.get(i),
              i < 2 ? blob(8 + i, 1 + static_cast<int>(i)) : blob(2998 + i, 9 + static_cast<int>(i)));
  };
  StateStore alone(4, folder.path());
  Archive a = Archive::reader(index[0], Precision::f64);
  alone.load(a);
  for (ClientId i = 0; i < 4; ++i) expect_states(alone, i);
  // Dealt in another way.
  TwoRanks().run([&](std::size_t rank, Ranks& ranks) {
    StateStore store(4, folder.path(), ranks, [&](ClientId i) { return i % 2 == rank; });
    Archive b = Archive::reader(index[0], Precision::f64);
    store.load(b);
    for (ClientId i = static_cast<ClientId>(rank); i < 4; i += 2) expect_states(store, i);
  });
}

// A state that was damaged is one rank's to find, and all ranks' to refuse.
TEST(Ranks, RefuseADamagedStateTogether) {
  TempFolder folder;
  Bytes index;
  {
    StateStore store(2, folder.path());
    store.put(0, blob(8, 1));
    store.put(1, blob(8, 2));
    Archive a = Archive::writer(Precision::f64);
    store.save(a);
    index = a.take();
  }
  std::string whole = read_file(folder.file("states-8.bin"));
  whole[16] = static_cast<char>(whole[16] ^ 1);  // of client 1
  write_atomically(folder.file("states-8.bin"), whole);
  TwoRanks().run([&](std::size_t rank, Ranks& ranks) {
    StateStore store(2, folder.path(), ranks, [&](ClientId i) { return i == rank; });
    Archive a = Archive::reader(index, Precision::f64);
    std::string said;
    try {
      store.load(a);
    } catch (const Error& e) {
      said = e.what();
    }
    EXPECT_NE(said.find("the state of client 1 was changed or damaged"), std::string::npos) << said;
  });
}

}  // namespace
}  // namespace coterie::ranks_test
