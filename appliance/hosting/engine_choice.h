// Selects the engine that runs the agents, from AGENT_RUNTIME or by what this machine offers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"
#include "appliance/runtime/docker/docker_engine.h"

namespace agentbox {

struct EngineChoice {
  std::string_view name;  // process or docker
  std::string why{};      // with `auto`: why it is not Docker; else empty
};

// `auto` selects Docker if its engine responds and has the agents' image, which blocks.
EngineChoice chosen_engine(const Settings&);

// What the engine asks of the box: see DockerOptions.
struct EngineQuestions {
  std::function<std::string(std::string gateway)> open_agent_listener;
  std::function<web::Task<web::Result<std::optional<runtime::ImageProxy>>>(std::string gateway, bool is_needed)>
      open_proxy;
  std::function<bool(const std::string& agent)> is_closed;
  std::function<boost::json::object(const std::string& image)> image_labels;
};

// Null for an unknown name. For `home` and `files` see the engines.
std::unique_ptr<runtime::Engine> make_engine(std::string_view name, const Settings&, boost::asio::io_context& home,
                                             boost::asio::thread_pool& files, EngineQuestions);

}  // namespace agentbox
