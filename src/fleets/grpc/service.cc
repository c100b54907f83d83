#include "fleets/grpc/service.h"

#include "fleets/grpc/line.h"

namespace coterie::net {
namespace {

// A stream that may not come in.
class Closed : public grpc::ServerBidiReactor<Frame, Frame> {
 public:
  Closed(grpc::StatusCode code, const std::string& why) { Finish({code, why}); }
  void OnDone() override { delete this; }
};

class RawService : public Federation::WithRawCallbackMethod_Hold<Federation::Service> {
 public:
  RawService(Hub& hub, Gate& gate) : hub_(hub), gate_(gate) {}
  grpc::ServerBidiReactor<Frame, Frame>* Hold(grpc::CallbackServerContext* context) override {
    try {
      return new Line(hub_, *context, gate_.let_in(*context));
    } catch (const Gate::TooOften& e) {
      return new Closed(grpc::StatusCode::RESOURCE_EXHAUSTED, e.what());
    } catch (const Error& e) {
      return new Closed(grpc::StatusCode::PERMISSION_DENIED, e.what());
    }
  }

 private:
  Hub& hub_;
  Gate& gate_;
};

}  // namespace

std::unique_ptr<Federation::Service> make_service(Hub& hub, Gate& gate) {
  return std::make_unique<RawService>(hub, gate);
}

}  // namespace coterie::net
