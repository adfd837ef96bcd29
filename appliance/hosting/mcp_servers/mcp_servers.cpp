#include "appliance/hosting/mcp_servers/mcp_servers.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>

#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace mcp_servers {

namespace {

constexpr std::chrono::seconds list_lifetime{60}, error_lifetime{10};
constexpr std::size_t longest_name = 64, digest_characters = 8;

bool is_same(const ServerConfig& a, const ServerConfig& b) {
  return a.name == b.name && a.url == b.url && a.token == b.token && a.headers == b.headers && a.tools == b.tools &&
         a.timeout == b.timeout;
}

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
  const web::CallOrigin origin{.part = "tool servers", .user = agent.owner, .agent = agent.id};
  auto configs = mcp_servers::servers_of(agent);
  std::vector<ServerPtr> now;
  const std::lock_guard lock(mutex_);
  auto& before = servers_[agent.id];
  for (auto& config : configs) {
    const auto same =
        std::ranges::find_if(before, [&](const ServerPtr& server) { return is_same(server->client.config(), config); });
    now.push_back(same != before.end() ? *same : std::make_shared<Server>(std::move(config), limits_, origin));
  }
  before = now;
  if (now.empty()) servers_.erase(agent.id);
  return now;
}

web::Task<ServerStatus> McpServers::status_of(ServerPtr server) {
  const auto& config = server->client.config();
  ServerStatus status{.name = config.name, .url = config.url, .tools = {}, .error = {}};
  {
    const std::lock_guard lock(server->mutex);
    if (std::chrono::steady_clock::now() < server->valid_until) {
      status.tools = server->tools;
      status.error = server->error;
      co_return status;
    }
  }
  auto listed = co_await server->client.list_tools();
  if (listed) {
    for (auto& tool : *listed)
      status.tools.push_back({exposed_name(config.name, tool.name), config.name, std::move(tool)});
  } else {
    status.error = listed.error().message;
  }
  const std::lock_guard lock(server->mutex);
  server->tools = status.tools;
  server->error = status.error;
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
    const auto prefix = server->client.config().name + "__";
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

web::Task<web::Result<ToolAnswer>> McpServers::call(store::UserId user, std::string agent, std::string name,
                                                    boost::json::object arguments) {
  auto found = co_await find(user, std::move(agent), std::move(name));
  if (!found) co_return found.error();
  co_return co_await found->server->client.call_tool(found->tool.tool, std::move(arguments));
}

void McpServers::forget(const std::string& agent) {
  const std::lock_guard lock(mutex_);
  servers_.erase(agent);
}

}  // namespace mcp_servers
