#include "appliance/box/agent_listener.h"

#include <stdexcept>

#include "appliance/box/listeners.h"
#include "appliance/models/messages_api/messages_wire.h"
#include "web/log.h"

namespace agentbox {

std::string AgentListener::open(std::string gateway) {
  if (gateway_ == gateway) return server_.url("agents");
  if (!gateway_.empty())
    throw std::runtime_error("their network's gateway was " + gateway_ + " and is now " + gateway +
                             ": restart the box");
  const auto backend = server_.url("backend");
  try {
    server_.listen(options(gateway + backend.substr(backend.rfind(':'))));
  } catch (const std::runtime_error& taken) {
    web::log::info("agent_listener_port_taken", {{"reason", std::string(taken.what())}});
    server_.listen(options(gateway + ":0"));
  }
  gateway_ = std::move(gateway);
  return server_.url("agents");
}

web::ListenerOptions AgentListener::options(std::string listen) const {
  auto options = listener_options(settings_, "agents", std::move(listen), 0.0625);
  options.routes = make_rows_();
  options.error_forms = models::messages::error_forms();
  options.host_router = [this](const web::Request& request) {
    std::optional<web::Result<web::ProxyTarget>> where;
    if (request.path == "/api/summarize" || request.path == "/api/extract") where = summarizer_for_(request);
    return where;
  };
  return options;
}

}  // namespace agentbox
