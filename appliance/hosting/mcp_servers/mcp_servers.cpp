#include "appliance/hosting/mcp_servers/mcp_servers.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/mcp_servers/http_transport.h"
#include "web/ascii.h"
#include "web/run_on.h"

namespace mcp_servers {

namespace {

constexpr std::chrono::seconds list_lifetime{60}, error_lifetime{10};
constexpr std::size_t longest_name = 64, digest_characters = 8, max_waiting = 500, max_question_bytes = 32 * 1024;
constexpr std::chrono::seconds unwatched_time{30}, watch_interval{1};

// Servers that are asked at the same time; used on one thread.
struct Looking {
  Looking(const web::Executor& executor, std::size_t count)
      : all_found(executor, web::Timer::time_point::max()), left(count), found(count) {}
  web::Timer all_found;
  std::size_t left;
  std::vector<ServerStatus> found;
  std::exception_ptr failure;
};

}  // namespace

// Names that do not fit, or that would be equal once their other characters are replaced, end in a digest.
std::string exposed_name(std::string_view server, std::string_view tool) {
  auto name = std::string(server) + "__";
  bool is_exact = true;
  for (const char c : tool) {
    const bool fits = web::is_alphanumeric(c) || c == '-' || c == '_';
    is_exact = is_exact && fits;
    name += fits ? c : '_';
  }
  if (is_exact && name.size() <= longest_name) return name;
  name.resize(std::min(name.size(), longest_name - digest_characters - 1));
  return name + "_" + crypto::sha256_hex(tool).substr(0, digest_characters);
}

std::vector<McpServers::ServerPtr> McpServers::servers_of(const agents::Agent& agent) {
  auto configs = mcp_servers::servers_of(agent);
  std::vector<ServerPtr> now;
  const std::lock_guard lock(mutex_);
  auto& before = servers_[agent.id];
  for (auto& config : configs) {
    const auto same = std::ranges::find_if(before, [&](const ServerPtr& server) { return server->config == config; });
    now.push_back(same != before.end() ? *same : make_server(agent, std::move(config)));
  }
  before = now;
  if (now.empty()) servers_.erase(agent.id);
  return now;
}

McpServers::ServerPtr McpServers::make_server(const agents::Agent& agent, ServerConfig config) const {
  auto server = std::make_shared<Server>(std::move(config));
  const auto notified = [weak = std::weak_ptr<Server>(server)](std::string_view method) {
    const auto changed = weak.lock();
    if (!changed || !method.ends_with("/list_changed")) return;
    const std::lock_guard lock(changed->mutex);
    changed->valid_until = {};
  };
  server->client = std::make_unique<Client>(server->config, limits_, connect_(agent, server->config, notified));
  return server;
}

web::Task<ServerStatus> McpServers::status_of(ServerPtr server) {
  const auto& config = server->config;
  ServerStatus status{.name = config.name,
                      .url = config.url,
                      .command = config.command.empty() ? config.package : config.command,
                      .tools = {},
                      .error = {},
                      .config = config};
  {
    const std::lock_guard lock(server->mutex);
    if (std::chrono::steady_clock::now() < server->valid_until) {
      status.tools = server->tools;
      status.error = server->error;
      status.wants_sign_in = server->wants_sign_in;
      co_return status;
    }
  }
  auto listed = co_await server->client->list_tools();
  if (listed) {
    for (auto& tool : *listed)
      status.tools.push_back({exposed_name(config.name, tool.name), config.name, std::move(tool)});
  } else {
    status.error = listed.error().message;
    status.wants_sign_in = listed.error().code == sign_in_code;
  }
  const std::lock_guard lock(server->mutex);
  server->tools = status.tools;
  server->error = status.error;
  server->wants_sign_in = status.wants_sign_in;
  server->valid_until =
      std::chrono::steady_clock::now() + (listed ? std::chrono::steady_clock::duration(list_lifetime) : error_lifetime);
  co_return status;
}

web::Task<web::Result<std::vector<ServerStatus>>> McpServers::look(store::UserId user, std::string id) {
  const auto agent = agents_.find(user, id);
  if (!agent) co_return web::not_found();
  const auto servers = servers_of(*agent);
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto looking = std::make_shared<Looking>(executor, servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    boost::asio::co_spawn(executor, status_of(servers[i]),
                          [looking, i](std::exception_ptr failure, ServerStatus found) {
                            looking->found[i] = std::move(found);
                            if (failure) looking->failure = failure;
                            if (--looking->left == 0) looking->all_found.cancel();
                          });
  }
  while (looking->left > 0) {
    boost::system::error_code woken;
    co_await looking->all_found.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  if (looking->failure) std::rethrow_exception(looking->failure);
  co_return std::move(looking->found);
}

web::Task<web::Result<McpServers::Found>> McpServers::find(store::UserId user, std::string id, std::string name) {
  const auto agent = agents_.find(user, id);
  if (!agent) co_return web::not_found();
  for (const auto& server : servers_of(*agent)) {
    const auto prefix = server->config.name + "__";
    if (!name.starts_with(prefix)) continue;
    const auto status = co_await status_of(server);
    const auto tool = std::ranges::find(status.tools, name, &ExposedTool::name);
    if (tool != status.tools.end()) co_return Found{.server = server, .tool = *tool};
    if (!status.error.empty()) co_return web::Error{.kind = web::Kind::bad_gateway, .message = status.error};
  }
  co_return web::not_found("There is no such tool");
}

web::Task<web::Result<ExposedTool>> McpServers::find_tool(store::UserId user, std::string agent, std::string name) {
  auto found = co_await find(user, std::move(agent), std::move(name));
  if (!found) co_return found.error();
  co_return std::move(found->tool);
}

// A call at a server, on `home`. It goes on while its question waits for the owner.
struct McpServers::Waiting {
  explicit Waiting(const web::Executor& executor)
      : changed(executor, Clock::time_point::max()), replied(executor, Clock::time_point::max()) {}
  std::string id = "call_" + crypto::random_id(20);
  web::Timer changed, replied;  // wake the caller, and the question
  std::optional<boost::json::object> question, reply;
  std::optional<web::Result<ToolAnswer>> answer;
  std::function<QuestionState()> watch;
};

web::Task<boost::json::object> McpServers::ask_owner(std::weak_ptr<Waiting> weak, boost::json::object params) {
  const auto waiting = weak.lock();
  const boost::json::object cancelled{{"action", "cancel"}}, declined{{"action", "decline"}};
  if (!waiting || boost::json::serialize(params).size() > max_question_bytes) co_return cancelled;
  waiting->question = std::move(params);
  waiting->changed.cancel();
  const auto since = Clock::now();
  while (!waiting->reply) {
    boost::system::error_code woken;
    waiting->replied.expires_after(watch_interval);
    co_await waiting->replied.async_wait(boost::asio::redirect_error(web::use_task, woken));
    const auto state = waiting->watch ? waiting->watch() : QuestionState::open;
    if (waiting->reply) break;
    if (state == QuestionState::refused) co_return declined;
    if (state == QuestionState::gone || (!waiting->watch && Clock::now() - since > unwatched_time)) co_return cancelled;
  }
  waiting->watch = {};
  auto reply = std::move(*waiting->reply);
  waiting->reply.reset();
  co_return reply;
}

web::Task<> McpServers::run(ServerPtr server, RemoteTool tool, boost::json::object arguments, Resumption resumed,
                            WaitingPtr waiting) {
  const std::shared_ptr<void> settles(nullptr, [waiting](void*) {
    if (!waiting->answer) waiting->answer = web::unavailable("The call was cut off.");
    waiting->changed.cancel();
  });
  const AskOwner ask = [weak = std::weak_ptr<Waiting>(waiting)](boost::json::object params) {
    return ask_owner(weak, std::move(params));
  };
  auto answer = co_await server->client->call_tool(std::move(tool), std::move(arguments), ask, std::move(resumed.retry),
                                                   std::move(resumed.reply));
  waiting->answer = std::move(answer);
}

web::Task<web::Result<McpServers::Called>> McpServers::outcome_of(WaitingPtr waiting) {
  while (!waiting->answer && !waiting->question) {
    boost::system::error_code woken;
    co_await waiting->changed.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  if (waiting->answer) {
    if (!*waiting->answer) co_return waiting->answer->error();
    co_return Called{.answer = std::move(**waiting->answer), .waiting = {}};
  }
  Called called{.answer = {.text = {}, .question = Question{.params = std::move(*waiting->question)}},
                .waiting = waiting->id};
  waiting->question.reset();
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [](const auto& one) { return one.second->answer.has_value(); });
  if (waiting_.size() >= max_waiting)
    co_return web::Error{.kind = web::Kind::too_many, .message = "Too many calls wait for answers of owners."};
  waiting_[waiting->id] = waiting;
  co_return called;
}

web::Task<web::Result<McpServers::Called>> McpServers::call_at_home(CallRequested wanted, Resumption resumed) {
  if (!resumed.waiting.empty()) {
    WaitingPtr waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto found = waiting_.find(resumed.waiting);
      if (found != waiting_.end()) waiting = found->second;
      if (waiting) waiting_.erase(found);
    }
    if (!waiting || waiting->answer)
      co_return web::conflict("The server has ended the call meanwhile. Call the tool again.");
    waiting->reply = std::move(resumed.reply);
    waiting->replied.cancel();
    co_return co_await outcome_of(waiting);
  }
  auto found = co_await find(wanted.user, wanted.agent, std::move(wanted.tool));
  if (!found) co_return found.error();
  if (is_stopping_) co_return web::unavailable("The box is shutting down.");
  const auto waiting = std::make_shared<Waiting>(home_.get_executor());
  tasks_.spawn(wanted.agent, run(found->server, std::move(found->tool.tool), std::move(wanted.arguments),
                                 std::move(resumed), waiting));
  co_return co_await outcome_of(waiting);
}

web::Task<web::Result<McpServers::Called>> McpServers::call(CallRequested wanted, Resumption resumed) {
  co_return co_await web::run_on(home_, call_at_home(std::move(wanted), std::move(resumed)));
}

void McpServers::watch(const std::string& id, std::function<QuestionState()> state) {
  WaitingPtr waiting;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = waiting_.find(id); found != waiting_.end()) waiting = found->second;
  }
  if (!waiting) return;
  boost::asio::post(home_, [waiting, state = std::move(state)] { waiting->watch = state; });
}

web::Result<ServerConfig> McpServers::config_of(store::UserId user, const std::string& id,
                                                std::string_view name) const {
  const auto agent = agents_.find(user, id);
  if (!agent) return web::not_found();
  for (auto& config : mcp_servers::servers_of(*agent))
    if (config.name == name) return std::move(config);
  return web::not_found("The agent has no such server");
}

void McpServers::refresh(const std::string& agent, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = servers_.find(agent);
  if (found == servers_.end()) return;
  std::erase_if(found->second, [&](const ServerPtr& server) { return server->config.name == name; });
}

void McpServers::forget(const std::string& agent) {
  tasks_.cancel(agent);
  const std::lock_guard lock(mutex_);
  servers_.erase(agent);
}

web::Task<> McpServers::stop() {
  is_stopping_ = true;
  co_await tasks_.stop();
  const std::lock_guard lock(mutex_);
  servers_.clear();
  waiting_.clear();
}

}  // namespace mcp_servers
