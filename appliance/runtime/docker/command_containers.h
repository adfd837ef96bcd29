// Where agents in containers run commands: a second container of each agent, from an image with tools and without a
// network, a token or a file of the agent but its workspace. Its one process that lasts is a helper (agentbox spawn),
// which confines each command as on a machine without containers (sandbox/command.h). It serves the box over a
// connection that it makes when it starts, and the container ends with that connection: with the box, however the box
// ends.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "appliance/runtime/commands.h"

namespace runtime::docker {

// What AGENT_TOOLS means for agents in containers; empty: off.
std::string tools_image(const std::string& setting);

class CommandContainers final : public CommandStarter {
 public:
  struct Options {
    std::string host;                     // DOCKER_HOST: unix:///path
    std::string image;                    // see tools_image
    std::string box;                      // as in Names
    std::filesystem::path folder;         // data/agents, as the engine's host sees it
    std::filesystem::path packages;       // that commands see (sandbox::CommandPlan); made if it is missing
    std::chrono::seconds idle_time{300};  // without a command, after which a container ends
    std::function<bool(const std::string& agent)> may_run;  // false: the container of an agent ends at once
  };
  // Its state is used on `home`; what blocks runs on `files`.
  CommandContainers(Options, boost::asio::io_context& home, boost::asio::thread_pool& files);
  ~CommandContainers() override;

  // Removes containers that an earlier process of the box may have left, and looks for the image.
  web::Task<> start_up();
  // Ends all containers, with the commands in them, and starts no more.
  web::Task<> stop();

  std::string why_not() const override;
  // An Error of kind unavailable with the reason if the container cannot be started.
  web::Task<web::Result<void>> prepare(CommandSpec) override;
  RunningCommand start(const CommandSpec&) const override;
  void signal(const RunningCommand&, int signal) const override;
  std::optional<int> collect(const RunningCommand&, const std::string& agent,
                             sandbox::CommandPlace = sandbox::CommandPlace::workspace) const override;
  // The container's limit holds for all of an agent.
  std::map<pid_t, std::uint64_t> resident_bytes(const std::vector<pid_t>&) const override { return {}; }

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace runtime::docker
