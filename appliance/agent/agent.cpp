#include "appliance/agent/agent.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_future.hpp>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "appliance/agent/boot_file.h"
#include "appliance/agent/delegation.h"
#include "appliance/agent/gateway.h"
#include "appliance/agent/loop.h"
#include "appliance/agent/memory_endpoint.h"
#include "appliance/agent/prompt.h"
#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/foundation/descriptor.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/log.h"
#include "web/routes/reply.h"
#include "web/server/server.h"

namespace agent_process {

namespace {

constexpr auto drain_time = std::chrono::seconds(10);
constexpr std::size_t max_read_picture = 8u << 20;
constexpr std::size_t max_connections = 256, max_in_flight = 64;

// Without the tools that its config does not name.
std::vector<Tool> allowed(const runtime::Boot& boot, std::vector<Tool> tools) {
  if (const auto& names = boot.conduct ? boot.conduct->tools : std::nullopt)
    std::erase_if(tools, [&](const Tool& tool) { return std::ranges::count(*names, tool.definition.name) == 0; });
  return tools;
}

// The tools that the agent has and may use.
std::vector<Tool> tools_of(const runtime::Boot& boot, const Workspace& workspace, Memory& memory,
                           Conversations& conversations, Repository& repository, SemanticSearch& meaning,
                           boost::asio::thread_pool& files) {
  std::vector<Tool> tools;
  for (auto& group : {page_tools(boot.summarizer_url, boot.box_token), search_tools(boot.backend_url, boot.box_token),
                      file_tools(workspace, files), edit_tools(workspace, files),
                      document_tools(boot.backend_url, boot.box_token), memory_tools(memory, files, &meaning),
                      history_tools([&conversations](std::string_view words,
                                                     std::size_t limit) { return conversations.search(words, limit); },
                                    files, "owner"),
                      git_tools(repository, files), schedule_tools(boot.backend_url, boot.box_token),
                      skill_tools(workspace, files), message_tools(boot.backend_url, boot.agent_id, boot.box_token),
                      feed_tools(boot.backend_url, boot.box_token), media_tools(boot.backend_url, boot.box_token),
                      payment_tools(boot.backend_url, boot.box_token), owner_tools(boot.backend_url, boot.box_token)}) {
    tools.insert(tools.end(), group.begin(), group.end());
  }
  return report_files(allowed(boot, std::move(tools)), boot.backend_url, boot.box_token);
}

// Those that may differ from turn to turn.
ToolSource changing_tools(const runtime::Boot& boot, const Workspace& workspace, boost::asio::thread_pool& files) {
  return [&boot, commands = command_tools(boot.backend_url, boot.box_token, workspace, files),
          browser = browser_tools(boot.backend_url, boot.box_token, workspace, files),
          servers = mcp_tools(boot.backend_url, boot.box_token)]() -> web::Task<std::vector<Tool>> {
    auto tools = allowed(boot, co_await commands());
    for (auto& tool : allowed(boot, co_await browser())) tools.push_back(std::move(tool));
    for (auto& tool : co_await servers()) tools.push_back(std::move(tool));
    co_return tools;
  };
}

// Those of sub-agents: nothing that reaches others.
std::vector<Tool> sub_agent_tools(const runtime::Boot& boot, const Workspace& workspace,
                                  boost::asio::thread_pool& files) {
  std::vector<Tool> tools;
  for (auto& group : {page_tools(boot.summarizer_url, boot.box_token), search_tools(boot.backend_url, boot.box_token),
                      file_tools(workspace, files), edit_tools(workspace, files), skill_tools(workspace, files),
                      document_tools(boot.backend_url, boot.box_token)})
    tools.insert(tools.end(), group.begin(), group.end());
  return report_files(allowed(boot, std::move(tools)), boot.backend_url, boot.box_token);
}

Conversations::Options conversation_options(const runtime::Boot& boot, std::size_t window_bytes) {
  constexpr std::int64_t max_peer_files = 4 << 20;
  const auto quota = boot.storage_bytes.value_or(0);
  return {.window_bytes = window_bytes,
          .peer_storage = {.quota = quota == 0 ? max_peer_files : std::min(quota, max_peer_files),
                           .disk_reserve = std::uint64_t(boot.disk_reserve.value_or(0))},
          .tool_names = boot.conduct ? boot.conduct->tools : std::nullopt};
}

// Those of the owner's tools that the config lets others use.
using ToolNames = std::optional<std::vector<std::string>>;
PeerTools tools_for_others(const runtime::Boot& boot, const std::vector<Tool>& tools, const ToolNames& names) {
  PeerTools found;
  if (!names) return found;
  for (const auto& tool : tools)
    if (std::ranges::count(*names, tool.definition.name) > 0) found.tools.push_back(tool);
  if (std::ranges::count(*names, runtime::mcp_tools_name) > 0) found.more = mcp_tools(boot.backend_url, boot.box_token);
  return found;
}

// The box knows its zone; without an answer of it, UTC.
web::Task<std::string> time_at(BoxClient clock) {
  boost::json::object nothing;
  const auto answer = co_await clock.call("GET", "/api/agent-time", std::move(nothing));
  if (!answer) co_return web::iso8601(store::now());
  const auto& time = answer->get_object();
  co_return web::string_member(time, "weekday") + ", " + web::string_member(time, "local") + " (" +
      web::string_member(time, "timezone") + ")";
}

web::Task<> notify_owner(BoxClient box, std::string text) {
  boost::json::object notice{{"text", std::move(text)}};
  const auto sent = co_await box.call("POST", "/api/agent-notices", std::move(notice));
  if (!sent) web::log::warning("owner_not_notified", {{"reason", sent.error().message}});
}

LoopOptions loop_options(const runtime::Boot& boot, const Workspace& workspace, const ModelClient& model) {
  LoopOptions options{.agent_name = boot.name, .conduct = boot.conduct.value_or(runtime::AgentProfile())};
  options.workspace = [&workspace] { return read_workspace_facts(workspace); };
  options.clock = [clock = BoxClient{boot.backend_url, boot.box_token}] { return time_at(clock); };
  options.notify = [box = BoxClient{boot.backend_url, boot.box_token}](std::string text) {
    return notify_owner(box, std::move(text));
  };
  options.model_facts = [&model](std::string name) { return model.facts(std::move(name)); };
  options.read_picture = [&workspace](const std::string& path) { return workspace.read_bytes(path, max_read_picture); };
  options.keep_picture = [&workspace](std::string_view url) -> web::Result<std::string> {
    const auto picture = parse_inline_picture(url);
    if (!picture) return picture.error();
    auto path = std::string(attachments_folder) + "/" + picture->name;
    if (const auto kept = workspace.write(path, picture->bytes); !kept) return kept.error();
    return path;
  };
  const auto& conduct = options.conduct;
  if (conduct.max_tokens_per_minute) options.guard.tokens_a_minute = *conduct.max_tokens_per_minute;
  if (conduct.max_rounds) options.max_rounds = std::size_t(*conduct.max_rounds);
  if (conduct.max_turn_tokens) options.max_tokens = *conduct.max_turn_tokens;
  if (conduct.max_turn_seconds) options.turn_time = std::chrono::seconds(*conduct.max_turn_seconds);
  return options;
}

std::vector<std::string> excluded_files() {
  const auto state = "/" + std::string(state_folder) + "/";
  return {state + std::string(conversation_file) + "*", state + std::string(conversations_folder) + "/",
          state + std::string(peers_folder) + "/",      state + "write-*",
          state + std::string(forks_folder) + "/",      state + std::string(turns_file) + "*",
          state + std::string(vectors_file) + "*",      "/" + std::string(kept_results_folder) + "/"};
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
  ModelClient model(boot.backend_url, boot.box_token, boot.model);
  const Toolbox of_sub_agents(sub_agent_tools(boot, workspace, files), {}, result_keeper(workspace, files));
  Delegation delegation(model, of_sub_agents, "You are a sub-agent of " + boot.name + ", an agent hosted by agentbox.");
  auto options = loop_options(boot, workspace, model);
  options.make_title = [&io, &model, box = BoxClient{boot.backend_url, boot.box_token}](Beginning beginning) {
    boost::asio::co_spawn(io.at(0), title_conversation(model, box, std::move(beginning)), boost::asio::detached);
  };
  options.forks_folder = workspace.state(forks_folder);
  options.allow_delegation = [&delegation](std::int64_t tokens, std::chrono::steady_clock::time_point deadline) {
    delegation.allow(tokens, deadline);
  };
  options.delegated_usage = [&delegation] { return delegation.take_usage(); };
  Repository repository(workspace.root(), excluded_files());
  Memory memory(workspace.state_folder_path());
  Conversations conversations(workspace.state_folder_path(), conversation_options(boot, options.max_window_bytes),
                              files);
  const auto embedding_model = boot.conduct ? boot.conduct->embedding_model.value_or("") : std::string();
  SemanticSearch meaning(boot.backend_url, boot.box_token, embedding_model, workspace.state(vectors_file), files);
  auto tools = tools_of(boot, workspace, memory, conversations, repository, meaning, files);
  for (auto& tool : allowed(boot, delegation.tools())) tools.push_back(std::move(tool));
  const auto profile = boot.conduct.value_or(runtime::AgentProfile());
  conversations.let_peers_use(tools_for_others(boot, tools, profile.peer_tools));
  auto of_anyone = tools_for_others(boot, tools, profile.public_tools);
  for (const auto& group : {file_tools(workspace, files), edit_tools(workspace, files), memory_tools(memory, files),
                            history_tools({}, files, "owner")})
    for (const auto& own : group)  // the owner's files, memory and history stay the owner's
      std::erase_if(of_anyone.tools, [&](const Tool& tool) { return tool.definition.name == own.definition.name; });
  conversations.let_anyone_use(std::move(of_anyone));
  Toolbox toolbox(std::move(tools), changing_tools(boot, workspace, files), result_keeper(workspace, files));
  const SpanReporter reporter(boot.backend_url, boot.box_token, boot.name);
  Loop loop(options, model, toolbox, conversations, memory, repository, files);
  TurnJournal journal(workspace.state(turns_file));
  loop.report_spans_to(reporter);
  loop.keep_points_in(journal);
  Gateway gateway(loop, workspace, conversations, files, boot.gateway_token);

  web::Server server(io);
  web::ListenerOptions listener;
  listener.name = "agent";
  listener.listen = boot.listen;
  files::Descriptor gateway_socket(int(boot.listening_socket.value_or(-1)));
  if (gateway_socket) listener.inherited_socket = gateway_socket.get();
  listener.routes = gateway.routes();
  web::append(listener.routes, memory_routes(memory, loop, files, gateway.token_guard()));
  listener.error_forms = {models::openai::error_form()};
  listener.limits.connections = max_connections;
  listener.limits.in_flight = max_in_flight;
  server.listen(std::move(listener));
  gateway_socket.reset();  // the server has its own, which it closes when it stops
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
