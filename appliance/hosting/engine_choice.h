// Which engine runs the agents: what AGENT_RUNTIME says, or what this machine offers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"
#include "appliance/hosting/runtime/engine.h"

namespace agentbox {

struct EngineChoice {
  std::string_view name;  // process or docker
  std::string why{};      // why it is not Docker, where that was asked; else empty
};

// `auto` takes Docker when its engine answers and has the agents' image; it asks, and so blocks.
EngineChoice chosen_engine(const Settings&);

// By its name; nothing for another name. For `home` and `files` see the engines; for `open_door` DockerOptions.
std::unique_ptr<runtime::Engine> make_engine(std::string_view name, const Settings&, boost::asio::io_context& home,
                                             boost::asio::thread_pool& files,
                                             std::function<std::string(std::string gateway)> open_door);

}  // namespace agentbox
