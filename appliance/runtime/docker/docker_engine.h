// Agents as containers of a Docker Engine, reached over its Unix socket. Containers outlive the box and are
// found again by their labels; they end on stop, on remove, or by themselves, which the engine's events report.
//
// A new container is created for each start from the current image: read-only except for the workspace and a small
// /tmp, without capabilities, in one of the box's own bridge networks (agent_networks.h). Its configuration is the boot
// file, mounted from <folder>/<id>/run/boot.json (0600, owned by the agent's user).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "appliance/runtime/engine.h"

namespace runtime {

// Where programs of foreign images find the box's proxy, and the authority that its certificates are of, in PEM.
struct ImageProxy {
  std::string address;  // 172.18.0.1:41000
  std::string authority;
};

struct DockerOptions {
  std::string host;              // DOCKER_HOST: unix:///path
  std::string image;             // default image
  std::string box;               // identifies this box's containers: hexadecimal, at least twelve digits
  std::filesystem::path folder;  // data/agents, as the engine's host sees it
  // Opens the agent listener on the gateway of the agents' network and returns its URL; may be called again with the
  // same address. Throws std::runtime_error with a sentence if that fails.
  std::function<std::string(std::string gateway_address)> open_agent_listener;
  // Opens the proxy for programs of foreign images there; may be called again. Unless `is_needed`, only if a program
  // has used it before: one that runs on while the box is restarted must find it again.
  std::function<web::Task<web::Result<std::optional<ImageProxy>>>(std::string gateway_address, bool is_needed)>
      open_proxy;
  // Whether this agent reaches nothing but the box: its egress is none or a list, which the box's fetch enforces.
  std::function<bool(const std::string& agent)> is_closed;
  // Labels that the box gives an image, in place of the image's own.
  std::function<boost::json::object(const std::string& image)> image_labels;
  bool lan_is_open = false;                 // CONTAINER_LAN
  std::optional<std::uint64_t> memory_min;  // that agents of `image` need; not set: as its label says
  bool requires_isolation = false;          // agents are refused while the LAN cannot be closed to them
  std::chrono::milliseconds first_pause{100}, longest_pause{5'000};  // before reconnecting to the engine's events
};

class DockerEngine final : public Engine {
 public:
  // All its state is used on `home`; file work runs on `files`.
  DockerEngine(DockerOptions, boost::asio::io_context& home, boost::asio::thread_pool& files);
  // Only after `home` has stopped (IoPool::stop). The agents keep running.
  ~DockerEngine() override;

  std::string_view name() const override { return "docker"; }
  bool has_images() const override { return true; }
  Isolation isolation() const override;
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

  // Those of its image's labels: see docker::Image. Those of a foreign image until adopt() has found the agent.
  GatewayTraits gateway_traits(std::uint16_t port) const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Checks that the engine responds and has the image. The error message names what is missing.
web::Task<web::Result<void>> docker_is_usable(std::string host, std::string image);

}  // namespace runtime
