#include "appliance/engine_choice.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>

#include "appliance/data_folder.h"
#include "appliance/runtime/docker/docker_engine.h"
#include "appliance/runtime/process_engine.h"
#include "web/log.h"

namespace agentbox {
namespace {

bool docker_is_usable(const Settings& settings) {
  boost::asio::io_context asking;
  auto answer = boost::asio::co_spawn(asking, runtime::docker_is_usable(settings.docker_host, settings.agent_image),
                                      boost::asio::use_future);
  asking.run();
  const auto usable = answer.get();
  if (!usable) web::log::info("agents_run_as_processes", {{"reason", usable.error().message}});
  return usable.has_value();
}

}  // namespace

std::string_view chosen_engine(const Settings& settings) {
  const auto& wanted = settings.agent_runtime;
  return wanted == "docker" || (wanted == "auto" && docker_is_usable(settings)) ? "docker" : "process";
}

std::unique_ptr<runtime::Engine> make_engine(std::string_view name, const Settings& settings,
                                             boost::asio::io_context& home, boost::asio::thread_pool& files,
                                             std::function<std::string(std::string gateway)> open_door) {
  const DataFolder folder(settings.data);
  if (name == "docker") {
    runtime::DockerOptions options{.host = settings.docker_host,
                                   .image = settings.agent_image,
                                   .box = key_fingerprint(folder.master_key(settings)),
                                   .folder = folder.agents(),
                                   .open_door = std::move(open_door)};
    return std::make_unique<runtime::DockerEngine>(std::move(options), home, files);
  }
  if (name == "process") {
    runtime::ProcessOptions options{.binary = std::filesystem::read_symlink("/proc/self/exe"),
                                    .folder = folder.agents()};
    return std::make_unique<runtime::ProcessEngine>(std::move(options), home, files);
  }
  return nullptr;
}

}  // namespace agentbox
