#include "appliance/hosting/memory/memory.h"

#include <fcntl.h>

#include <boost/json.hpp>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"
#include "appliance/identity/oauth/form.h"
#include "web/client/fetch.h"
#include "web/routes/fields.h"

namespace memory {

namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::chrono::seconds gateway_timeout{15};
constexpr std::size_t largest_answer = 16u << 20;

struct FactView {
  web::Text<1, 32> id;
  web::Prose<1, 4'000> text;
  web::Text<0, 40> at;
  std::optional<web::Text<0, 64>> block;  // agents of older images have none
};
BOOST_DESCRIBE_STRUCT(FactView, (), (id, text, at, block))

Fact fact_of(FactView view) {
  return {.id = std::move(view.id),
          .text = std::move(view.text),
          .at = std::move(view.at),
          .block = view.block ? std::move(*view.block) : std::string()};
}

bool runs(const agents::Agent& agent) { return agent.status == agents::Status::running; }

Error gateway_error(std::string why) {
  return {.kind = web::Kind::bad_gateway, .message = "The agent did not return its memory: " + std::move(why)};
}

// The message in a gateway's error: {error: {message}}, or {error} from older agents.
std::string error_message(const boost::json::value& answer) {
  for (const auto* place : {"/error/message", "/error"}) {
    boost::system::error_code absent;
    const auto* message = answer.find_pointer(place, absent);
    if (message && message->is_string()) return std::string(message->get_string());
  }
  return {};
}

// Calls the memory endpoint of a running agent's gateway and returns the JSON of its answer.
Task<Result<boost::json::value>> call_gateway(agents::Agent agent, std::string peer, std::string method,
                                              std::string query, std::string body) {
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port) +
                (peer.empty() ? "/v1/memory" : "/v1/peers/" + peer + "/memory") + query;
  request.method = std::move(method);
  request.headers = {{"Authorization", "Bearer " + agent.gateway_token.clear}};
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  request.timeout = gateway_timeout;
  request.max_bytes = largest_answer;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return gateway_error(answer.error().message);
  boost::system::error_code failed;
  auto value = boost::json::parse(answer->body, failed);
  if (answer->status == 200 && !failed) co_return std::move(value);
  std::string why = failed ? std::string() : error_message(value);
  if (answer->status == 404 && why == "No such memory") co_return web::not_found(std::move(why));
  if (answer->status == 409 && !why.empty()) co_return web::conflict(std::move(why));
  co_return gateway_error("its gateway answered with status " + std::to_string(answer->status) + ".");
}

Result<Fact> read_fact(const boost::json::value& value) {
  auto fact = web::parse_value<FactView>(value);
  if (!fact) return gateway_error("its answer is no memory.");
  return fact_of(std::move(*fact));
}

// The memory of an agent that is not running. Links in the workspace are not followed.
Result<agent_process::Memory> open_memory(const std::filesystem::path& workspace, const std::string& peer,
                                          bool writes) {
  std::error_code failed;
  if (writes) std::filesystem::create_directories(workspace, failed);
  if (failed) return web::internal("The agent's workspace cannot be made: " + failed.message());
  if (!std::filesystem::exists(workspace, failed)) return agent_process::Memory(files::Descriptor());
  auto root = files::Root::open(workspace);
  if (!root) return root.error();
  files::Components state{std::string(agent_process::state_folder)};
  if (!peer.empty()) state.insert(state.end(), {std::string(agent_process::peers_folder), peer});
  auto folder = writes ? root->open_or_make(state) : root->open(state, O_RDONLY | O_DIRECTORY);
  if (!folder && folder.error().kind == web::Kind::not_found) return agent_process::Memory(files::Descriptor());
  if (!folder) return folder.error();
  return agent_process::Memory(std::move(*folder));
}

}  // namespace

Task<Result<agents::Agent>> Memories::settled_agent(store::UserId user, std::string id) {
  if (!agents_.find(user, id)) co_return web::not_found();
  co_await agents_.until_settled(user, id);
  auto agent = agents_.find(user, id);
  if (!agent) co_return web::not_found();
  co_return std::move(*agent);
}

// `work` takes the memory and returns a Result<T>.
template <class T, class Work>
Task<Result<T>> Memories::with_file(agents::Agent agent, const std::string& peer, bool writes, Work work) {
  const auto workspace = folder_ / agent.id / "workspace";
  auto blocking = [&]() -> Result<T> {
    auto opened = open_memory(workspace, peer, writes);
    if (!opened) return opened.error();
    return work(*opened);
  };
  auto done = co_await web::offload(files_, blocking);
  const auto now = agents_.find(agent.owner, agent.id);
  // A starting agent may have read its file before this change and will overwrite it.
  if (writes && now && (now->status == agents::Status::running || now->status == agents::Status::provisioning))
    co_return web::conflict("The agent was started meanwhile: send it again.");
  co_return done;
}

Task<Result<std::vector<Fact>>> Memories::find(store::UserId user, std::string id, std::string query, std::size_t limit,
                                               std::string peer) {
  const auto agent = co_await settled_agent(user, std::move(id));
  if (!agent) co_return agent.error();
  if (!runs(*agent)) {
    auto work = [&](agent_process::Memory& memory) -> Result<std::vector<Fact>> { return memory.recall(query, limit); };
    co_return co_await with_file<std::vector<Fact>>(*agent, peer, false, work);
  }
  auto asked = "?limit=" + std::to_string(limit) + (query.empty() ? "" : "&query=" + oauth::encoded(query));
  const auto answer = co_await call_gateway(*agent, std::move(peer), "GET", std::move(asked), {});
  if (!answer) co_return answer.error();
  boost::system::error_code failed;
  const auto* list = answer->find_pointer("/memories", failed);
  if (!list || !list->is_array()) co_return gateway_error("its answer holds no memories.");
  std::vector<Fact> found;
  for (const auto& one : list->get_array()) {
    auto fact = read_fact(one);
    if (!fact) co_return fact.error();
    found.push_back(std::move(*fact));
  }
  co_return found;
}

Task<Result<Fact>> Memories::add(store::UserId user, std::string id, std::string text, std::string block) {
  const auto agent = co_await settled_agent(user, std::move(id));
  if (!agent) co_return agent.error();
  if (!runs(*agent)) {
    auto work = [&](agent_process::Memory& memory) {
      return block.empty() ? memory.remember(text) : memory.write_block(block, text);
    };
    co_return co_await with_file<Fact>(*agent, {}, true, work);
  }
  boost::json::object request{{"text", text}};
  if (!block.empty()) request["block"] = block;
  auto body = boost::json::serialize(request);
  const auto answer = co_await call_gateway(*agent, {}, "POST", {}, std::move(body));
  if (!answer) co_return answer.error();
  co_return read_fact(*answer);
}

Task<Result<Fact>> Memories::remove(store::UserId user, std::string id, std::string fact_id, std::string peer) {
  const auto agent = co_await settled_agent(user, std::move(id));
  if (!agent) co_return agent.error();
  if (!runs(*agent)) {
    auto work = [&](agent_process::Memory& memory) -> Result<Fact> {
      auto removed = memory.remove(fact_id);
      if (!removed) return removed.error();
      if (!*removed) return web::not_found("No such memory");
      return std::move(**removed);
    };
    co_return co_await with_file<Fact>(*agent, peer, true, work);
  }
  const auto answer = co_await call_gateway(*agent, std::move(peer), "DELETE", "?id=" + oauth::encoded(fact_id), {});
  if (!answer) co_return answer.error();
  co_return read_fact(*answer);
}

}  // namespace memory
