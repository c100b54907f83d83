// What people see of a server: a live table on a terminal, plain lines elsewhere, a log with a line of JSON
// for each event, and numbers for Prometheus. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fleet/network.h"

namespace coterie::net {

class MetricsPage;
class EventLog;

class Watch {
 public:
  explicit Watch(const ServeRequest& request);
  ~Watch();

  void say(const std::string& text);
  void show(std::size_t round, std::size_t rounds, const std::string& status);
  // Something about one client: joined, left, refused, dropped ...
  void event(const char* kind, const std::string& client, const std::string& why = "");

  // --- one ask
  // ----------------------------------------------------------------------------------------------
  void ask_begins(const std::string& job, std::uint32_t round, std::size_t asked,
                  std::chrono::steady_clock::time_point until);
  void answered(std::size_t so_far);
  void ask_ends();

  void connected(std::size_t streams, std::size_t joined);
  void sent(std::uint64_t bytes) { down_ += bytes; }
  void received(std::uint64_t bytes) { up_ += bytes; }
  void saved(std::uint64_t bytes) { saved_ += bytes; }
  void dropped() { ++dropped_; }

  std::string prometheus() const;

 private:
  void log(const std::string& kind, const std::string& client, const std::string& text);
  void draw(bool now);
  void wipe();

  const bool quiet_;
  const bool terminal_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<MetricsPage> page_;

  std::atomic<std::uint64_t> down_{0}, up_{0}, saved_{0}, dropped_{0}, refused_{0}, asks_{0};
  mutable std::mutex mutex_;
  std::size_t streams_ = 0, joined_ = 0;
  std::size_t round_ = 0, rounds_ = 0;
  std::string status_;
  std::string job_;
  std::uint32_t asked_in_ = 0;
  std::size_t asked_ = 0, answered_ = 0;
  std::chrono::steady_clock::time_point until_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::vector<std::string> lately_;  // who was dropped or refused, and why
  std::size_t lines_ = 0;            // of the table that is on the screen
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace coterie::net
