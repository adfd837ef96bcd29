#include "appliance/demo/stop_agents.h"

#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/foundation/data_folder.h"
#include "appliance/hosting/engine_choice.h"
#include "web/log.h"

namespace demo {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds grace{5};

std::vector<std::string> agents_in(const fs::path& folder) {
  std::vector<std::string> ids;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) ids.push_back(entry.path().filename().string());
  return ids;
}

web::Task<> stop_all(runtime::Engine& engine, std::vector<std::string> ids) {
  const auto running = co_await engine.adopt(std::move(ids));
  if (!running) co_return;
  for (const auto& id : *running) {
    const auto stopped = co_await engine.stop(id, grace);
    if (!stopped) web::log::warning("agent_not_stopped", {{"agent", id}, {"reason", stopped.error().message}});
  }
}

}  // namespace

void stop_agents(const agentbox::Settings& settings) {
  auto ids = agents_in(agentbox::DataFolder(settings.data).agents());
  if (ids.empty()) return;
  boost::asio::io_context home;
  boost::asio::thread_pool files(1);
  const auto engine = agentbox::make_engine("process", settings, home, files, {});
  bool has_ended = false;
  boost::asio::co_spawn(home, stop_all(*engine, std::move(ids)),
                        [&has_ended](std::exception_ptr) { has_ended = true; });
  while (!has_ended && home.run_one() > 0) continue;
  home.stop();
  files.join();
}

}  // namespace demo
