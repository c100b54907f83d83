#include "fleet/ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <new>

#include "base/disk.h"

namespace coterie {
namespace {

class Alone : public Ranks {
 public:
  unsigned rank() const override { return 0; }
  unsigned count() const override { return 1; }
  void sum(std::span<std::int64_t>) override {}
  std::vector<Bytes> gather(const Bytes& own) override { return {own}; }
  bool all_failed() override { return true; }
  void end_all(int status) override { std::exit(status); }
};

enum class Fault : std::uint8_t { none, error, file, config };
constexpr Fault last_of(Fault) { return Fault::config; }

struct Failure {
  Fault fault = Fault::none;
  std::string text;
  void fields(Archive& a) { a(fault, text); }
};

Failure failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const FileError& e) {
    return {Fault::file, e.what()};
  } catch (const BadConfig& e) {
    return {Fault::config, e.what()};
  } catch (const Error& e) {
    return {Fault::error, e.what()};
  } catch (const std::bad_alloc&) {
    return {Fault::error, "there is not enough memory; use smaller numbers, or more ranks"};
  }
}

}  // namespace

Ranks& alone() {
  static Alone one;
  return one;
}

Bytes from_first(Ranks& ranks, Bytes own) {
  if (ranks.count() == 1) return own;
  return std::move(ranks.gather(ranks.leads() ? own : Bytes()).front());
}

void wait_for_all(Ranks& ranks) { any_of(ranks, false); }

bool any_of(Ranks& ranks, bool own) {
  std::int64_t count = own ? 1 : 0;
  ranks.sum({&count, 1});
  return count > 0;
}

std::uint64_t largest_of(Ranks& ranks, std::uint64_t own) {
  if (ranks.count() == 1) return own;
  std::uint64_t largest = 0;
  for (const Bytes& one : ranks.gather(encode(own, Precision::f64))) {
    largest = std::max(largest, decode<std::uint64_t>(one, Precision::f64));
  }
  return largest;
}

void together(Ranks& ranks, const std::function<void()>& work) {
  if (ranks.count() == 1) return work();
  Failure own = failure_of(work);
  const auto done = std::chrono::steady_clock::now();
  const bool failed = any_of(ranks, own.fault != Fault::none);
  ranks.spent.waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - done).count();
  if (!failed) return;
  const std::vector<Bytes> all = ranks.gather(encode(own, Precision::f64));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    auto failure = decode<Failure>(all[rank], Precision::f64);
    if (failure.fault == Fault::none) continue;
    // A text that has "error: " in front, as those of configs have, stays as it is.
    if (failure.fault == Fault::config) throw BadConfig(failure.text);
    if (rank > 0) failure.text = fmt::format("rank {} of {}: {}", rank, all.size(), failure.text);
    if (failure.fault == Fault::file) throw FileError(failure.text);
    throw Error(failure.text);
  }
}

void on_first(Ranks& ranks, const std::function<void()>& work) {
  together(ranks, [&] {
    if (ranks.leads()) work();
  });
}

}  // namespace coterie
