// A fixed set of threads that share the indices of a loop.
#include "base/threads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "coterie/error.h"

namespace coterie {

struct ThreadPool::Loop {
  std::size_t count;
  const std::function<void(std::size_t, unsigned)>& work;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex{};
  std::size_t failed_index = 0;
  std::exception_ptr failure{};

  void take_part(unsigned worker) {
    while (!stop.load(std::memory_order_relaxed)) {
      std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      try {
        work(index, worker);
      } catch (...) {
        stop.store(true, std::memory_order_relaxed);
        std::lock_guard lock(mutex);
        if (!failure || index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
      }
    }
  }
};

unsigned hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

unsigned threads_of_process(const Launch& launch) {
  const unsigned own = hardware_threads();
  const auto all = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return own < all ? own : std::max(1u, own / launch.here);
}

ThreadPool::ThreadPool(unsigned threads) {
  check(threads >= 1, "a thread pool needs at least one thread");
  for (unsigned worker = 1; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t, unsigned)>& work) {
  Loop loop{count, work};
  bool alone = threads_.empty() || count < 2;
  {
    std::lock_guard lock(mutex_);
    check(!in_use_, "for_each() was called inside for_each() of the same pool");
    in_use_ = true;
    if (!alone) {
      loop_ = &loop;
      ++loops_begun_;
    }
  }
  if (!alone) wake_.notify_all();
  loop.take_part(0);
  {
    std::unique_lock lock(mutex_);
    loop_ = nullptr;  // whoever wakes up only now has nothing left to do
    done_.wait(lock, [this] { return helpers_busy_ == 0; });
    in_use_ = false;
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void ThreadPool::serve(unsigned worker) {
  std::uint64_t loops_served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || loops_begun_ != loops_served; });
    if (closing_) return;
    loops_served = loops_begun_;
    Loop* loop = loop_;
    if (loop == nullptr) continue;
    ++helpers_busy_;
    lock.unlock();
    loop->take_part(worker);
    lock.lock();
    if (--helpers_busy_ == 0) done_.notify_one();
  }
}

}  // namespace coterie
