#include "appliance/runtime/command_helper.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/proc.h"
#include "sandbox/spawn_helper.h"
#include "sandbox/spawn_server.h"
#include "sandbox/system_error.h"
#include "web/log.h"

namespace runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds answer_time{10};

// The service opens both at its start. Agents' users read the packages.
void make_folders(const CommandHelper::Options& options) {
  std::error_code failed;  // then the service says what is missing
  fs::create_directories(options.agents, failed);
  fs::create_directories(options.packages, failed);
  fs::permissions(options.packages, fs::perms(0755), failed);
}

// The memory of a command is bounded by its control group, or by the box, which then has to see its processes.
bool sees_others() { return proc::stat(1).has_value(); }

}  // namespace

CommandHelper::CommandHelper(Options options) : options_(std::move(options)) {}

bool CommandHelper::is_there() const {
  std::error_code unknown;
  return is_configured() && fs::is_socket(options_.socket, unknown);
}

bool CommandHelper::is_connected() const {
  const std::lock_guard lock(mutex_);
  return helper_ && !helper_->has_ended();
}

std::string CommandHelper::why_not() const {
  if (::access(options_.socket.c_str(), W_OK) != 0)
    return "The box may not use the service that starts agents' commands (COMMAND_HELPER).";
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return {};
  return "The service that starts agents' commands could not " + failure_ + ".";
}

std::shared_ptr<sandbox::SpawnHelper> CommandHelper::made() const {
  make_folders(options_);
  sandbox::Descriptor connected(sandbox::connect_spawn_socket(options_.socket));
  // A service that hangs must not hold up the commands of all agents for good.
  const timeval longest{.tv_sec = answer_time.count(), .tv_usec = 0};
  if (::setsockopt(connected.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) != 0)
    sandbox::throw_errno("be reached");
  auto helper = std::make_shared<sandbox::SpawnHelper>(std::move(connected), first_agent_user);
  if (!helper->has_commands())
    throw std::system_error(EPERM, std::system_category(), "give commands networks of their own");
  if (helper->tools() != options_.tools.native())
    throw std::system_error(EINVAL, std::system_category(),
                            "show them AGENT_TOOLS, which is another folder than its own --tools");
  if (!helper->has_control_groups() && !sees_others())
    throw std::system_error(EPERM, std::system_category(), "bound their memory: no control group is delegated to it");
  web::log::info("command_helper", {{"control_groups", helper->has_control_groups()}});
  return helper;
}

std::shared_ptr<sandbox::SpawnHelper> CommandHelper::reach() {
  const std::lock_guard one(connecting_);
  if (is_connected()) return helper_;
  try {
    auto helper = made();
    const std::lock_guard lock(mutex_);
    failure_.clear();
    return helper_ = std::move(helper);
  } catch (const std::system_error& error) {
    web::log::warning("no_command_helper", {{"reason", std::string(error.what())}});
    const std::lock_guard lock(mutex_);
    failure_ = error.what();
    throw;
  }
}

}  // namespace runtime
