// Host ports for agents' gateways, out of AGENT_PORT_RANGE. Callable from every thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "store/store.h"
#include "web/result.h"

namespace agents {

// Kind::unavailable; the code distinguishes it from an engine that does not answer.
web::Error no_free_port();

class Ports {
 public:
  // The range is inclusive.
  Ports(store::System, std::uint16_t first, std::uint16_t last);

  // A port that no agent has and that can be bound on 127.0.0.1; nothing if there is none. It is reserved only once it
  // is stored (the index on Agent::port is unique); until then another caller may get the same one.
  std::optional<std::uint16_t> find();
  static bool bindable(std::uint16_t port);

 private:
  store::System system_;
  std::uint16_t first_;
  std::uint32_t size_;
  std::atomic<std::uint32_t> next_{0};  // where the next search begins
};

}  // namespace agents
