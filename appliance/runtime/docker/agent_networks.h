// The networks of agents in containers, and what they reach from there: two bridges of the box's own, on which
// containers do not reach each other. From the first they reach the agent listener and public addresses, from the
// second (egress none or a list) the agent listener alone. Rules of the packet filter hold that.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "appliance/foundation/semaphore.h"
#include "appliance/runtime/docker/container.h"
#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/docker/docker_engine.h"
#include "appliance/runtime/docker/packet_filter.h"

namespace runtime::docker {

// Used on one thread, except isolation().
class AgentNetworks {
 public:
  // All of them must outlive this; rules are set on `files`.
  AgentNetworks(Api& api, const Names& names, const DockerOptions& options, boost::asio::thread_pool& files);

  // Makes the networks that are missing, opens the agent listener and the proxy (see DockerOptions::open_proxy) on the
  // gateway of the first and closes the rest to containers. Returns the listener's URL. An Error if the rules cannot be
  // set but isolation is required, or for an agent that is `closed`, which would reach more than its egress permits.
  web::Task<web::Result<std::string>> open(bool closed, bool needs_proxy);
  // Of the last open().
  const std::optional<std::string>& listener_url() const { return listener_url_; }
  const std::optional<ImageProxy>& proxy() const { return proxy_; }
  // Thread-safe.
  Isolation isolation() const;
  // After the last container has ended. Blocks.
  void remove_rules();

 private:
  // As the engine describes it, made if it is missing. `purpose` for errors: "the agents' network".
  web::Task<web::Result<boost::json::object>> network(std::string name, boost::json::object wanted,
                                                      std::string purpose);
  web::Task<web::Result<boost::json::object>> main_network();
  web::Task<web::Result<boost::json::object>> closed_network();
  web::Task<> remove_unused(const std::string& name);
  web::Task<web::Result<void>> close_the_rest(Openings openings, bool closed);
  void note(std::string open_because);

  Api& api_;
  const Names& names_;
  const DockerOptions& options_;
  boost::asio::thread_pool& files_;
  PacketFilter filter_;
  std::optional<agentbox::Semaphore> making_;  // the engine makes two networks of one name when asked twice at once
  std::optional<std::string> listener_url_;
  std::optional<ImageProxy> proxy_;
  boost::json::object addresses_;  // of the first network: Subnet and Gateway; empty: not known yet
  mutable std::mutex mutex_;       // protects open_because_
  std::string open_because_;       // why containers reach the LAN; empty: they do not
};

}  // namespace runtime::docker
