#include "appliance/hosting/agent_process/agent_process.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "appliance/hosting/agent_process/boot_file.h"
#include "appliance/hosting/agent_process/gateway.h"
#include "appliance/hosting/agent_process/loop.h"
#include "appliance/hosting/agent_process/memory_endpoint.h"
#include "appliance/hosting/agent_process/skills/installed.h"
#include "appliance/hosting/agent_process/workspace_path.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/client/fetch.h"
#include "web/log.h"
#include "web/server/server.h"

namespace agent_process {

namespace {

constexpr auto drain_time = std::chrono::seconds(10);
constexpr std::size_t most_connections = 256, most_in_flight = 64;

// The tools that the agent has and may use.
std::vector<Tool> tools_of(const runtime::Boot& boot, const Workspace& workspace, Memory& memory,
                           Repository& repository, boost::asio::thread_pool& files) {
  std::vector<Tool> tools;
  for (auto& group :
       {page_tools(boot.summarizer_url, boot.box_token), file_tools(workspace, files), memory_tools(memory, files),
        git_tools(repository, files), schedule_tools(boot.backend_url, boot.box_token), skill_tools(workspace, files),
        message_tools(boot.backend_url, boot.agent_id, boot.box_token), feed_tools(boot.backend_url, boot.box_token),
        media_tools(boot.backend_url, boot.box_token), payment_tools(boot.backend_url, boot.box_token)}) {
    tools.insert(tools.end(), group.begin(), group.end());
  }
  if (const auto& allowed = boot.conduct ? boot.conduct->tools : std::nullopt)
    std::erase_if(tools, [&](const Tool& tool) { return std::ranges::count(*allowed, tool.definition.name) == 0; });
  return tools;
}

std::vector<std::string> excluded_files() {
  const auto state = "/" + std::string(state_folder) + "/";
  return {state + std::string(conversation_file) + "*", state + "write-*"};
}

// Blocked in every thread, so that the main thread can wait for them.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// Parts stop in reverse order of construction: the listener first, the threads last.
void serve(const runtime::Boot& boot, const sigset_t& signals) {
  // One thread for the network and one for blocking work, which serializes access to workspace, memory and repository.
  web::IoPool io(1);
  boost::asio::thread_pool files(1);

  const Workspace workspace(boot.workspace, {.quota = boot.storage_bytes.value_or(0),
                                             .disk_reserve = std::uint64_t(boot.disk_reserve.value_or(0))});
  const LoopOptions options{.agent_name = boot.name,
                            .conduct = boot.conduct.value_or(runtime::AgentProfile()),
                            .skills = [&workspace] { return skills_prompt(workspace); }};
  Repository repository(workspace.root(), excluded_files());
  Memory memory(workspace.state_folder_path());
  Conversation conversation(workspace.state(conversation_file), options.window_bytes);
  const ModelClient model(boot.backend_url, boot.box_token, boot.model);
  Toolbox toolbox(tools_of(boot, workspace, memory, repository, files), mcp_tools(boot.backend_url, boot.box_token));
  const SpanReporter reporter(boot.backend_url, boot.box_token, boot.name);
  Loop loop(options, model, toolbox, conversation, memory, repository, files);
  loop.report_spans_with(reporter);
  Gateway gateway(loop, workspace, boot.gateway_token);

  web::Server server(io);
  web::ListenerOptions listener;
  listener.name = "agent";
  listener.listen = boot.listen;
  listener.routes = gateway.routes();
  web::append(listener.routes, memory_routes(memory, files, gateway.token_guard()));
  listener.error_forms = {models::openai::error_form()};
  listener.limits.connections = most_connections;
  listener.limits.in_flight = most_in_flight;
  server.listen(std::move(listener));
  io.start();
  web::log::info("agent_ready", {{"agent", boot.agent_id}, {"url", server.url("agent")}});

  int signal = 0;
  sigwait(&signals, &signal);
  web::log::info("agent_stopping", {{"agent", boot.agent_id}, {"signal", std::int64_t(signal)}});
  boost::asio::co_spawn(io.at(0), server.drain(drain_time), boost::asio::use_future).get();
}

}  // namespace

int run(const std::filesystem::path& boot_file) {
  const auto signals = block_signals();
  const auto boot = read_boot_file(boot_file);
  if (!boot) {
    std::fprintf(stderr, "agentbox agent: %s\n", boot.error().message.c_str());
    return 2;
  }
  try {
    serve(*boot, signals);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "agentbox agent: %s\n", error.what());
    return 2;
  }
  return 0;
}

int check() {
  web::FetchRequest probe;
  probe.url = "http://127.0.0.1:18789/healthz";
  probe.timeout = std::chrono::seconds(4);
  boost::asio::io_context asking;
  auto pending = boost::asio::co_spawn(asking, web::fetch(std::move(probe)), boost::asio::use_future);
  asking.run();
  const auto answer = pending.get();
  if (answer && answer->status == 200) return 0;
  const auto reason = answer ? "status " + std::to_string(answer->status) : answer.error().message;
  std::fprintf(stderr, "agentbox agent: not healthy: %s\n", reason.c_str());
  return 1;
}

}  // namespace agent_process
