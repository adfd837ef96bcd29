#include <unistd.h>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/doctor/checks.h"
#include "appliance/runtime/agent_confinement.h"
#include "appliance/runtime/docker/command_containers.h"
#include "appliance/runtime/docker/packet_filter.h"
#include "sandbox/users.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view unix_scheme = "unix://";

std::string escape_slashes(const std::string& image) {
  std::string text;
  for (const char c : image) text += c == '/' ? "%2F" : std::string(1, c);
  return text;
}

Findings check_engine(const Settings& settings) {
  const std::string check = "Docker Engine";
  const bool is_needed = settings.agent_runtime == "docker";
  const auto absent = is_needed ? Level::problem : Level::note;
  const std::string instead = is_needed ? "" : "without it agents run as processes; ";
  const std::string& host = settings.docker_host;
  if (!host.starts_with(unix_scheme)) return {{check, absent, "DOCKER_HOST is not unix:///PATH", "set DOCKER_HOST"}};
  const auto socket = host.substr(unix_scheme.size());
  std::error_code unknown;
  if (!fs::exists(socket, unknown))
    return {{check, absent, "there is no socket " + socket, instead + "install docker.io, or set DOCKER_HOST"}};
  if (::access(socket.c_str(), R_OK | W_OK) != 0)
    return {{check, absent, "this user may not use " + socket,
             "add the box's user to the group docker: whoever may use the socket is root on this machine"}};
  const auto ask = [&](const std::string& path) {
    return web::fetch_blocking(
        {.url = "http://docker" + path, .unix_socket = socket, .timeout = std::chrono::seconds(3)});
  };
  const auto pong = ask("/_ping");
  if (!pong || pong->status != 200)
    return {{check, absent, "it does not answer on " + socket, "systemctl status docker"}};
  Findings findings{{check, Level::ok, "it answers, with API " + pong->header("api-version"), {}}};
  const auto check_image = [&](const std::string& of, const std::string& image, Level level,
                               const std::string& advice) {
    const auto found = ask("/images/" + escape_slashes(image) + "/json");
    if (found && found->status == 200)
      findings.push_back({of, Level::ok, image + " is there", {}});
    else
      findings.push_back({of, level, image + " is not on the engine", advice});
  };
  check_image("agents' image", settings.agent_image, is_needed ? Level::problem : Level::warning,
              "docker load -i the images of the release, or set AGENT_IMAGE");
  if (const auto tools = runtime::docker::tools_image(settings.agent_tools); !tools.empty())
    check_image("image of agents' commands", tools, Level::note,
                "agents in containers run no commands without it: agentbox images load, or set AGENT_TOOLS");
  return findings;
}

Finding check_containers(const Settings& settings) {
  const std::string check = "isolation";
  if (settings.container_lan)
    return {check, Level::warning, "agents are containers that reach this machine and its networks",
            "turn off CONTAINER_LAN, unless agents need the LAN"};
  const auto reason = runtime::docker::PacketFilter::why_not();
  if (reason.empty()) return {check, Level::ok, "agents are containers, to which the LAN is closed", {}};
  return {check, settings.isolation == "required" ? Level::problem : Level::warning,
          "agents are containers that reach this machine and its networks: " + reason,
          "run the box as root with iptables installed, or close the LAN to its bridges with a firewall"};
}

// What a box of this user would say at its start; whether control groups are delegated to it is known then only.
Finding check_isolation(const Settings& settings) {
  const std::string check = "isolation";
  if (settings.agent_runtime == "docker") return check_containers(settings);
  const auto found = runtime::isolation_here(sandbox::may_change_user() ? "" : "the box does not run as root", true);
  if (found.level != runtime::IsolationLevel::none) return {check, Level::ok, to_string(found), {}};
  return {
      check, settings.isolation == "required" ? Level::problem : Level::warning, to_string(found),
      "run agents in containers (AGENT_RUNTIME=docker), or the box as root, or on Linux 5.19 or later, if its users "
      "do not trust one another"};
}

// Whether it answers is found out by the box, and is in /health.
Finding check_command_service(const Settings& settings) {
  const std::string check = "service for agents' commands";
  std::error_code unknown;
  if (fs::is_socket(settings.command_helper, unknown))
    return {check, Level::ok, "it is asked at " + settings.command_helper, {}};
  return {check, Level::note, "there is no socket " + settings.command_helper + ", which COMMAND_HELPER names",
          "systemctl enable --now agentbox-commands.socket, if agents are to run commands"};
}

}  // namespace

Findings check_runtime(const Settings& settings) {
  auto findings = settings.agent_runtime == "process" ? Findings() : check_engine(settings);
  findings.push_back(check_isolation(settings));
  if (!settings.command_helper.empty() && settings.agent_tools != "off")
    findings.push_back(check_command_service(settings));
  return findings;
}

}  // namespace agentbox::cli::doctor
