#include "run/light.h"

#include "base/threads.h"
#include "coterie/run.h"
#include "run/identity.h"

namespace coterie {

LightRun LightRunner::run(const Config& config) {
  std::string data = data_bits_of(config.resolved());
  if (data != data_) federation_ = nullptr;
  Session session(config, data_folder_, threads_ == 0 ? hardware_threads() : threads_, "", federation_);
  federation_ = session.shared_federation();
  data_ = std::move(data);

  LightRun result;
  auto last = static_cast<std::uint32_t>(config.rounds.count);
  try {
    session.start();
    for (std::uint32_t t = 1; t <= last; ++t) {
      session.round(t);
      session.fleet().take_events();
      result.stopped = stop_requested();
      if (result.stopped) return result;
      if (session.algorithm().finished()) last = t;
    }
    result.metrics = measure(session.evaluate(last, true, false));
  } catch (const Error& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace coterie
