// Finds model servers on this machine: Ollama, llama.cpp and vLLM at their usual ports.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/codec.h"
#include "web/task.h"

namespace models {

struct FoundServer {
  std::string kind;      // Ollama, llama.cpp, vLLM, or OpenAI-compatible
  std::string base_url;  // as LOCAL_MODEL_URL takes it
  std::vector<std::string> models;
};

// Only offers what it finds; nothing is used before an administrator says so. Callable from every thread.
class LocalServers {
 public:
  // Ollama's, llama.cpp's and vLLM's.
  static std::vector<std::uint16_t> usual_ports() { return {11434, 8080, 8000}; }
  explicit LocalServers(std::vector<std::uint16_t> ports = usual_ports()) : ports_(std::move(ports)) {}

  struct Result {
    std::vector<FoundServer> servers;
    std::optional<store::Time> probed_at;  // not set: never
  };
  // Asks each port on 127.0.0.1 for its models, with short time-outs.
  web::Task<Result> probe();
  Result last() const;

 private:
  const std::vector<std::uint16_t> ports_;
  mutable std::mutex mutex_;  // protects last_
  Result last_;
};

}  // namespace models
