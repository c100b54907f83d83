// A client's end of the network: dials in, works on what it is sent, and dials again when the line breaks.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "fleet/client_host.h"
#include "fleet/fleets.h"
#include "fleet/network.h"
#include "fleets/grpc/dial.h"
#include "fleets/grpc/hub.h"

namespace coterie::net {

// Where a client's states live between its starts; in memory, too, when there is no file.
class StateFile {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}
  // Those of a run, by its name without its life; none when they are of another one, or damaged.
  ClientHost::States load(std::uint64_t run) const;
  void save(std::uint64_t run, const ClientHost::States& states) const;

 private:
  std::string path_;
};

// What a client does on its own account; the defaults are those of a trial.
class Conduct {
 public:
  virtual ~Conduct() = default;
  // Why an order is not worked on; "" when it is.
  virtual std::string refuse(const MessageHeader& header) { return (void)header, ""; }
  virtual std::string refuse_program(const Setup& setup) { return (void)setup, ""; }
  virtual void set_up(const Setup& setup) { (void)setup; }
  virtual void worked(const ClientProgram&, const OrderMessage&, const Shelf&, ClientView&) {}
  virtual void answered(const MessageHeader& header, std::size_t bytes) { (void)header, (void)bytes; }
};

class Client {
 public:
  using Open = std::function<std::unique_ptr<OwnData>(const std::string& reading)>;
  Client(std::string name, Open open, std::string state_file, Conduct& conduct);

  enum class End { over, refused, broken, stopped };
  // One stream, from the hello to its end. `why`: what the server said last, or how it broke.
  End hold(const std::shared_ptr<grpc::ChannelInterface>& channel, std::string& why);
  // Whether the stream came as far as to be let in.
  bool was_let_in() const { return let_in_; }
  // Ends the stream; from any thread.
  void stop();

 private:
  void read_data(const std::string& text);
  void set_up(const Setup& setup);
  void take_item();
  void take_order(Stream& stream, const Bytes& order);
  Bytes work(const Bytes& order);
  bool reply(Stream& stream, const Bytes& bytes);

  const std::string name_;
  const Open open_;
  StateFile states_;
  Conduct& conduct_;

  std::mutex mutex_;  // of these two
  grpc::ClientContext* context_ = nullptr;
  bool stopped_ = false;

  bool let_in_ = false;
  std::string reading_;
  std::unique_ptr<OwnData> data_;
  std::optional<Setup> setup_;
  std::uint64_t base_ = 0;  // the run's name, whatever its life
  std::shared_ptr<const ClientProgram> program_;
  std::unique_ptr<ClientHost> host_;
  std::set<ItemName> items_;
  std::optional<Item> item_;    // under way
  std::optional<Order> order_;  // under way
  Incoming incoming_;
};

// A trial: a hub on this machine, and a thread for each client of a federation in this process.
class Trial {
 public:
  explicit Trial(const FleetContext& context);
  ~Trial();
  Hub& hub() { return *hub_; }
  static std::string name_of(ClientId client);

 private:
  Conduct conduct_;
  std::unique_ptr<Hub> hub_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::thread> threads_;
};

}  // namespace coterie::net
