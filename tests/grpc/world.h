// A federation over a network inside one test: certificates, a server whose run goes on in a thread, and
// clients in threads of their own. Everything goes through what the commands call.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/disk.h"
#include "coterie/run.h"
#include "fleet/network.h"
#include "run/deal_files.h"
#include "run/own_data.h"
#include "support/temp_folder.h"

namespace coterie {

class NetworkWorld {
 public:
  explicit NetworkWorld(const std::string& config, bool secure = true) : secure_(secure) {
    write_atomically(file("exp.toml"), config);
    RunRequest request;
    request.file = file("exp.toml");
    deal_files(request, file("dealt"));
    network = load_network("a test");
    if (!secure) return;
    CertsRequest certs;
    certs.folder = file("certs");
    certs.servers = {"127.0.0.1", "localhost"};
    for (const std::string& name : names()) certs.clients.push_back(name);
    network->make_certs(certs);
  }
  ~NetworkWorld() {
    for (auto& one : clients_) one->stop = true;
    for (auto& one : clients_) one->thread.join();
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  // Of the clients, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const std::string& one : names_in(file("dealt"))) {
      if (one != "serve.toml") names.push_back(one.substr(0, one.rfind('.')));
    }
    return names;
  }
  std::string data_of(const std::string& name) const {
    for (const std::string& one : names_in(file("dealt"))) {
      if (one.starts_with(name + ".")) return file("dealt/" + one);
    }
    return "";
  }
  Identity identity(const std::string& name) const {
    return secure_ ? Identity{file("certs"), name, false, false} : Identity{"", name, true, false};
  }
  ServeRequest serve_request() const {
    ServeRequest request;
    request.listen = "127.0.0.1:" + std::to_string(port);
    request.identity = identity("server");
    request.quiet = true;
    request.log = file("log.jsonl");
    request.wait = 20;
    return request;
  }
  // Runs to the end, or to a stop; `more`: settings over the dealt config.
  std::vector<RunOutcome> serve(const std::vector<std::string>& more = {}, bool resume = false) {
    const std::unique_ptr<Server> server = network->serve(serve_request());
    port = server->port();
    RunRequest request;
    request.file = file("dealt/serve.toml");
    request.overrides = more;
    request.overrides.push_back("fleet.kind=grpc");
    request.out = file("served");
    request.quiet = true;
    request.resume = resume;
    request.elsewhere = server.get();
    std::vector<RunOutcome> outcomes = run_experiment(request);
    server->close("the run is finished");
    return outcomes;
  }
  JoinRequest join_request(const std::string& name) const {
    JoinRequest request;
    request.server = "127.0.0.1:" + std::to_string(port);
    request.identity = identity(name);
    request.quiet = true;
    request.patience = 30;
    request.open = [file = data_of(name)](const std::string& reading) {
      return open_own_data(reading, {file, std::nullopt});
    };
    return request;
  }
  // What joining came to: "" when the run came to its end.
  struct Joined {
    std::thread thread;
    std::atomic<bool> stop{false};
    std::string error;
    std::atomic<bool> over{false};
  };
  Joined& join(JoinRequest request) {
    clients_.push_back(std::make_unique<Joined>());
    Joined& one = *clients_.back();
    request.stopped = [&one] { return one.stop.load(); };
    one.thread = std::thread([this, &one, request = std::move(request)]() mutable {
      while (port == 0 && !one.stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      request.server = "127.0.0.1:" + std::to_string(port.load());
      try {
        one.over = network->join(request);
      } catch (const std::exception& e) {
        one.error = e.what();
      }
    });
    return one;
  }
  void join_all() {
    for (const std::string& name : names()) {
      JoinRequest request = join_request(name);
      request.out = file("out-" + name);
      join(request);
    }
  }
  std::string models(const std::string& run) const {
    std::string all;
    for (const std::string& one : names_in(file(run + "/models")))
      all += one + read_file(file(run + "/models/" + one));
    return all;
  }
  std::string log() const { return read_file(file("log.jsonl")); }

  std::unique_ptr<Network> network;
  std::atomic<int> port{0};

 private:
  bool secure_;
  TempFolder folder_;
  std::vector<std::unique_ptr<Joined>> clients_;
};

}  // namespace coterie
