// A fixed set of threads that share the indices of a loop.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/launch.h"

namespace coterie {

// How many threads can run at once on this machine; at least 1.
unsigned hardware_threads();
// As many as a process gets that shares this machine with others of its job, where none was given cores of
// its own.
unsigned threads_of_process(const Launch& launch);

class ThreadPool {
 public:
  // The calling thread counts as one of `threads`; at least 1.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  // Calls work(index, worker) once for each index below `count`, worker < size(); the caller is worker 0.
  // Indices are taken in order. When some work throws, indices not yet taken are skipped and, once all
  // threads have stopped, the exception of the lowest index is rethrown: the same one whatever the number of
  // threads. Work must not call for_each of its own pool.
  void for_each(std::size_t count, const std::function<void(std::size_t index, unsigned worker)>& work);

 private:
  struct Loop;

  void serve(unsigned worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;  // guarded by mutex_, like all that follows
  std::uint64_t loops_begun_ = 0;
  std::size_t helpers_busy_ = 0;
  bool in_use_ = false;
  bool closing_ = false;
};

}  // namespace coterie
