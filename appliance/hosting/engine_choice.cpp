#include "appliance/hosting/engine_choice.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>

#include "appliance/foundation/byte_size.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/master_key.h"
#include "appliance/runtime/process_engine.h"

namespace agentbox {

EngineChoice chosen_engine(const Settings& settings) {
  if (settings.agent_runtime != "auto") return {.name = settings.agent_runtime == "docker" ? "docker" : "process"};
  boost::asio::io_context asking;
  auto answer = boost::asio::co_spawn(asking, runtime::docker_is_usable(settings.docker_host, settings.agent_image),
                                      boost::asio::use_future);
  asking.run();
  const auto usable = answer.get();
  if (usable) return {.name = "docker"};
  return {.name = "process", .why = usable.error().message};
}

std::unique_ptr<runtime::Engine> make_engine(std::string_view name, const Settings& settings,
                                             boost::asio::io_context& home, boost::asio::thread_pool& files,
                                             EngineQuestions questions) {
  const DataFolder folder(settings.data);
  if (name == "docker") {
    runtime::DockerOptions options{.host = settings.docker_host,
                                   .image = settings.agent_image,
                                   .box = box_fingerprint(folder, settings),
                                   .folder = folder.agents(),
                                   .open_agent_listener = std::move(questions.open_agent_listener),
                                   .open_proxy = std::move(questions.open_proxy),
                                   .is_closed = std::move(questions.is_closed),
                                   .image_labels = std::move(questions.image_labels),
                                   .lan_is_open = settings.container_lan,
                                   .memory_min = parse_byte_size(settings.agent_memory_min),  // nothing for auto
                                   .requires_isolation = settings.isolation == "required"};
    return std::make_unique<runtime::DockerEngine>(std::move(options), home, files);
  }
  if (name == "process") {
    runtime::ProcessOptions options{.binary = std::filesystem::read_symlink("/proc/self/exe"),
                                    .folder = folder.agents(),
                                    .requires_isolation = settings.isolation == "required"};
    return std::make_unique<runtime::ProcessEngine>(std::move(options), home, files);
  }
  return nullptr;
}

}  // namespace agentbox
