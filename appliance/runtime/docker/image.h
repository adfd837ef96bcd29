// What the box has to know of a container image.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/engine.h"

namespace runtime::docker {

struct Image {
  bool reads_boot = false;  // agentbox.boot=file: the box's own; others are foreign
  // agentbox.forwarded and agentbox.history=on or off; those of foreign images are off and on, the box's the reverse.
  // agentbox.probe: a path.
  GatewayTraits gateway{.takes_forwarded = false, .wants_history = true};
  bool has_check = false;                   // a health check of its own
  std::optional<std::uint64_t> memory_min;  // agentbox.memory-min=1G: bytes that an agent of it needs
  std::uint16_t port = 18789;               // agentbox.port: of its gateway, inside the container
  std::vector<std::pair<std::string, std::string>> environment;  // agentbox.env.NAME=value; foreign images only
  // agentbox.volume.NAME=/path: a folder of the agent, and where the container has it; foreign images only.
  std::vector<std::pair<std::string, std::string>> volumes;
};

// From an object of labels: those of an image, or of a container, which has its image's labels too. Invalid when a
// label of the box has a value that it does not know.
web::Result<Image> image_with(const boost::json::value& labels);

// internal: the image is not on this box; invalid: see image_with. `labels` replace those of the image.
web::Task<web::Result<Image>> find_image(Api&, std::string name, boost::json::object labels = {});

// conflict, PLAN_TOO_SMALL: the image needs more memory than an agent of this plan has.
web::Result<void> has_memory_for(const std::string& image, std::optional<std::uint64_t> memory_min,
                                 std::uint64_t available);

}  // namespace runtime::docker
