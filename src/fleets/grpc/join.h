// coterie join: a client with a policy, that says what it does and what it has told, and leaves what it
// learnt.
#pragma once

#include <map>

#include "coterie/methods/score.h"
#include "fleets/grpc/client.h"
#include "fleets/grpc/policy.h"

namespace coterie::net {

class JoinConduct : public Conduct {
 public:
  explicit JoinConduct(const JoinRequest& request)
      : request_(request), policy_(Policy::read(request.policy)) {}

  std::string refuse_program(const Setup& setup) override;
  std::string refuse(const MessageHeader& header) override;
  void set_up(const Setup& setup) override;
  void worked(const ClientProgram& program, const OrderMessage& order, const Shelf& shelf,
              ClientView& view) override;
  void answered(const MessageHeader& header, std::size_t bytes) override;
  void say(const std::string& text) const;
  // Before it is told. Throws Error where the policy keeps it back.
  void told(const Introduction& told);
  // What was told over the whole time, in a few lines.
  void sum_up() const;

 private:
  void leave(const ClientProgram& program, const Shelf& offer, ClientView& view);

  const JoinRequest& request_;
  const Policy policy_;
  std::size_t training_ = 0;
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> told_;  // by job: times and bytes
  std::map<std::string, std::size_t> refused_;
  Packing packing_;  // of the last offer that was scored
  std::uint32_t round_ = 0;
};

// Until the run is over or the program is asked to stop (false).
bool join(const JoinRequest& request);

}  // namespace coterie::net
