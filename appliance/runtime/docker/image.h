// What the box has to know of a container image.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/engine.h"

namespace runtime::docker {

struct Image {
  bool reads_boot = false;  // agentbox.boot=file: the box's own; others are foreign
  // agentbox.forwarded and agentbox.history=on or off; those of foreign images are off and on, the box's the reverse.
  GatewayTraits gateway{.takes_forwarded = false, .wants_history = true};
  bool has_check = false;                   // a health check of its own
  std::optional<std::uint64_t> memory_min;  // agentbox.memory-min=1G: bytes that an agent of it needs
};

// From an object of labels: those of an image, or of a container, which has its image's labels too. Invalid when a
// label of the box has a value that it does not know.
web::Result<Image> image_with(const boost::json::value& labels);

// internal: the image is not on this box; invalid: see image_with.
web::Task<web::Result<Image>> find_image(Api&, std::string name);

// conflict, PLAN_TOO_SMALL: the image needs more memory than an agent of this plan has.
web::Result<void> has_memory_for(const std::string& image, std::optional<std::uint64_t> memory_min,
                                 std::uint64_t available);

}  // namespace runtime::docker
