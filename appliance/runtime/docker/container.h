// Conversions between agents and the Docker Engine's JSON. Pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/runtime/docker/docker_engine.h"
#include "appliance/runtime/engine.h"

namespace runtime::docker {

inline constexpr std::uint16_t gateway_port = 18789;  // inside the container
// Inside the container. The folder has what programs need to trust the proxy: files of RunFolder::write_proxy.
inline constexpr std::string_view boot_path = "/run/agentbox/boot.json", workspace_path = "/workspace",
                                  proxy_folder = "/run/agentbox/proxy";

// Labels of the box's containers and networks, and those of images (image.h).
namespace label {
inline constexpr std::string_view box = "agentbox.box", agent = "agentbox.agent", backend = "agentbox.backend_url",
                                  summarizer = "agentbox.summarizer_url", listener = "agentbox.door",
                                  proxy = "agentbox.proxy", secrets = "agentbox.secrets",
                                  image_reads_boot = "agentbox.boot", image_forwarded = "agentbox.forwarded",
                                  image_history = "agentbox.history", image_memory_min = "agentbox.memory-min",
                                  image_port = "agentbox.port", image_probe = "agentbox.probe",
                                  image_environment = "agentbox.env.",  // and the name of a variable
    image_volume = "agentbox.volume.";                                  // and the name of a folder
}

// Names of this box's objects in the engine.
struct Names {
  std::string box;  // identifies this box; hexadecimal

  std::string network() const { return "agentbox-" + box.substr(0, 12); }
  // Of agents whose egress is none or a list.
  std::string closed_network() const { return network() + "-closed"; }
  std::string closed_bridge() const { return "agb" + box.substr(0, 12); }  // its network interface
  std::string container(std::string_view agent) const { return network() + "-" + std::string(agent); }
  // The one that ran before, which is kept for its log.
  std::string former_container(std::string_view agent) const { return container(agent) + "-former"; }
  // The value of a `filters` query that matches them.
  std::string filter() const;
  std::string death_filter() const;  // of /events
};

struct ContainerPlan {
  const Names& names;
  std::string image;
  bool image_reads_boot = false;  // otherwise the environment has what it needs
  bool image_has_check = false;   // a health check of its own
  std::uint16_t image_port = gateway_port;
  std::string image_probe;  // a path; empty: the contract's
  // Names and values; ${OPENAI_BASE_URL} and other variables of the box are put in.
  std::vector<std::pair<std::string, std::string>> image_environment;
  boost::json::object image_labels;  // that the image itself does not have
  std::string boot_file;             // on the host; mounted read-only
  std::string user;                  // "uid:gid"
  std::string listener_url;          // of the agent listener: http://172.18.0.1:3001
  bool is_closed = false;            // it reaches nothing but the box
  std::optional<ImageProxy> proxy;   // of a foreign image whose agent uses it
  std::string proxy_folder;          // on the host; mounted read-only
};

// Identifies an address and an authority: a container that knows another one cannot use the proxy.
std::string proxy_mark(const ImageProxy&);

// A digest of the secrets that the container's environment has of its owner; empty if it has none.
std::string secrets_digest(const AgentSpec&, bool image_reads_boot);

// The body of POST /containers/create: hardened, with limits, published only on 127.0.0.1, and with a health check
// unless a foreign image has its own.
boost::json::object create_body(const AgentSpec&, const ContainerPlan&);

// The result of GET /containers/{id}/json.
struct Container {
  std::string id, agent;                   // `agent`: from its label; empty for foreign containers
  std::string box, listener_url, secrets;  // secrets: see secrets_digest
  std::string proxy;                       // see proxy_mark; empty: it does not use the proxy
  Instance instance;
};
Container parse_container(const boost::json::value& inspected);

// One sample of GET /containers/{id}/stats.
struct Sample {
  std::uint64_t cpu_nanoseconds = 0;  // since the container's start, over all cores
  std::uint64_t memory_bytes = 0;     // without reclaimable page cache
  std::uint64_t received_bytes = 0, sent_bytes = 0;
};
Sample parse_sample(const boost::json::value& stats);

// A time written by the engine: "2026-11-21T08:05:18.857520964Z". nullopt for its zero time, 0001-01-01, and for
// invalid text.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> parse_time(std::string_view);

}  // namespace runtime::docker
