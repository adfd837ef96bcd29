// What the box has to know of a container image.
#pragma once

#include <string>

#include "appliance/hosting/runtime/docker/docker_api.h"

namespace runtime::docker {

struct Image {
  bool reads_boot = false;  // its label agentbox.boot
};

// internal: the image is not on this box.
web::Task<web::Result<Image>> find_image(Api&, std::string name);

}  // namespace runtime::docker
