// How an agent is described to the Docker Engine, and how the engine describes a container to us. Pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/runtime/engine.h"

namespace runtime::docker {

inline constexpr std::uint16_t gateway_port = 18789;  // inside the container
// Where a container finds its boot file and its workspace.
inline constexpr std::string_view boot_path = "/run/agentbox/boot.json", workspace_path = "/workspace";

// Labels of our containers and networks, and the one by which an image says that it reads the boot file.
namespace label {
inline constexpr std::string_view box = "agentbox.box", agent = "agentbox.agent", backend = "agentbox.backend_url",
                                  summarizer = "agentbox.summarizer_url", door = "agentbox.door",
                                  image_reads_boot = "agentbox.boot";
}

// The box's own things among all that the engine has.
struct Names {
  std::string box;  // of this box alone: hexadecimal

  std::string network() const { return "agentbox-" + box.substr(0, 12); }
  std::string container(std::string_view agent) const { return network() + "-" + std::string(agent); }
  // The value of a `filters` query that finds them.
  std::string filter() const;
  std::string death_filter() const;  // of /events
};

struct ContainerPlan {
  const Names& names;
  std::string image;
  bool image_reads_boot =
      false;              // otherwise the gateway token travels in the environment: such images know no other way
  std::string boot_file;  // on the host; mounted read-only
  std::string user;       // "uid:gid"
  std::string door;       // where agents in containers reach the box: http://172.18.0.1:3001
};

// The body of POST /containers/create: hardened, limited, watched, published on 127.0.0.1 alone.
boost::json::object create_body(const AgentSpec&, const ContainerPlan&);

// What GET /containers/{id}/json says.
struct Container {
  std::string id, agent;  // `agent`: of its label; empty when it is not ours
  std::string box, door;
  Instance instance;
};
Container parse_container(const boost::json::value& inspected);

// One sample of GET /containers/{id}/stats.
struct Sample {
  std::uint64_t cpu_nanoseconds = 0;  // since the container's start, over all cores
  std::uint64_t memory_bytes = 0;     // without what the page cache can give back
  std::uint64_t received_bytes = 0, sent_bytes = 0;
};
Sample parse_sample(const boost::json::value& stats);

// "2026-11-21T08:05:18.857520964Z" as the engine writes times; nothing for the zero time and for what is none.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> parse_time(std::string_view);

}  // namespace runtime::docker
