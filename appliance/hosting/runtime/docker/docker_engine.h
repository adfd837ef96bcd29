// Agents as containers of a Docker Engine (or Podman), reached over its Unix socket. Containers outlive the box and are
// found again by their labels; they end on stop, on remove, or by themselves, and the engine's events tell at once.
//
// Every container is made anew for each start, from the image as it is then: read-only but for the workspace and a
// small /tmp, without capabilities, in the box's own bridge network in which containers do not see each other. What it
// needs to know comes in its boot file, mounted from <folder>/<id>/run/boot.json (0600, the agent's own user).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "appliance/hosting/runtime/engine.h"

namespace runtime {

struct DockerOptions {
  std::string host;              // DOCKER_HOST: unix:///path
  std::string image;             // of agents that name none
  std::string box;               // marks what is this box's own: hexadecimal, at least twelve digits
  std::filesystem::path folder;  // data/agents, as the engine's host sees it
  // Opens the box's door for agents on the gateway of their network and returns its URL; called once or more with the
  // same address. Throws std::runtime_error with a sentence when it cannot.
  std::function<std::string(std::string gateway_address)> open_door;
  std::chrono::milliseconds first_pause{100}, longest_pause{5'000};  // before the engine's events are asked for again
};

class DockerEngine final : public Engine {
 public:
  // All its state lives on `home`; file work runs on `files`.
  DockerEngine(DockerOptions, boost::asio::io_context& home, boost::asio::thread_pool& files);
  // Only once `home` runs no more (IoPool::stop). The agents go on running.
  ~DockerEngine() override;

  std::string_view name() const override { return "docker"; }
  bool has_images() const override { return true; }
  web::Task<web::Result<Instance>> start(const AgentSpec&) override;
  web::Task<web::Result<void>> stop(std::string id, std::chrono::seconds grace) override;
  web::Task<web::Result<Instance>> inspect(std::string id) override;
  web::Task<web::Result<InstanceStats>> stats(std::string id) override;
  web::Task<web::Result<std::vector<std::string>>> logs(std::string id, std::size_t lines) override;
  web::Task<web::Result<LogPage>> read_log(std::string id, LogQuery) override;
  web::Task<web::Result<std::string>> log_end(std::string id) override;
  web::Task<web::Result<void>> follow_log(std::string id, std::string after, LogSink sink) override;
  web::Task<web::Result<std::vector<std::string>>> adopt(std::vector<std::string> ids) override;
  web::Task<web::Result<void>> remove(std::string id) override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Whether agents can run there now: the engine answers and has the image. The Error says what is missing.
web::Task<web::Result<void>> docker_is_usable(std::string host, std::string image);

}  // namespace runtime
