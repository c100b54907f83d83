// Two processes, as threads.
#pragma once

#include <barrier>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fleet/ranks.h"

namespace coterie {

class TwoRanks {
 public:
  class Side : public Ranks {
   public:
    Side(TwoRanks& pair, unsigned rank) : pair_(pair), rank_(rank) {}
    unsigned rank() const override { return rank_; }
    unsigned count() const override { return 2; }
    void sum(std::span<std::int64_t> numbers) override {
      pair_.numbers_[rank_].assign(numbers.begin(), numbers.end());
      pair_.meet_.arrive_and_wait();
      for (std::size_t j = 0; j < numbers.size(); ++j)
        numbers[j] = pair_.numbers_[0].at(j) + pair_.numbers_[1].at(j);
      pair_.meet_.arrive_and_wait();
    }
    std::vector<Bytes> gather(const Bytes& own) override {
      pair_.bytes_[rank_] = own;
      pair_.meet_.arrive_and_wait();
      std::vector<Bytes> all = {pair_.bytes_[0], pair_.bytes_[1]};
      pair_.meet_.arrive_and_wait();
      return all;
    }
    bool all_failed() override { return true; }
    void end_all(int) override { throw std::logic_error("a rank ended the others"); }

   private:
    TwoRanks& pair_;
    unsigned rank_;
  };
  // Calls work(rank, side) in both.
  template <class Work>
  void run(const Work& work) {
    std::thread other([&] {
      Side side(*this, 1);
      work(std::size_t{1}, side);
    });
    Side side(*this, 0);
    work(std::size_t{0}, side);
    other.join();
  }

 private:
  std::barrier<> meet_{2};
  std::vector<std::int64_t> numbers_[2];
  Bytes bytes_[2];
};

}  // namespace coterie
