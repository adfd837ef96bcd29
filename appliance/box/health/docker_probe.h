#pragma once

#include <atomic>
#include <string>

#include "web/task.h"

namespace health {

// Whether a Docker Engine answers on its socket, checked in the background, so that reading it is cheap.
class DockerProbe {
 public:
  // The format of DOCKER_HOST: unix:///path. Other schemes are never available.
  explicit DockerProbe(std::string_view docker_host);

  bool available() const { return available_.load(std::memory_order_relaxed); }
  web::Task<> ask();

 private:
  const std::string socket_;
  std::atomic<bool> available_{false};
};

}  // namespace health
