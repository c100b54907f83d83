// A page of numbers over HTTP, as Prometheus reads it.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace coterie::net {

class MetricsPage {
 public:
  // Throws Error when the address cannot be had.
  MetricsPage(const std::string& address, std::function<std::string()> content);
  ~MetricsPage();

 private:
  void serve();
  void answer(int caller) const;

  std::function<std::string()> content_;
  int socket_ = -1;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace coterie::net
