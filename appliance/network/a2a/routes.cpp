
#include "appliance/network/a2a/handlers.h"

namespace a2a {

namespace {

const web::RateLimit rpc_rate{.group = "a2a", .limit = 120};

constexpr auto host_card_path = "/.well-known/agent-card.json", host_legacy_card_path = "/.well-known/agent.json",
               host_rpc_path = "/a2a";

constexpr auto card_text =
    "A2A 1.0, signed over its canonical JSON, with `url`, `preferredTransport` and `protocolVersion` for clients of "
    "version 0.3 unless `A2A-Version` names one; with `A2A-Version: 0.3` in the form of that version. Without "
    "authentication only for agents whose config says bus.accept: all; for others 404 unless the bearer is one whom "
    "the agent admits.";

constexpr auto legacy_card_text =
    "The card in the form of version 0.3, for clients that look for it here; otherwise as agent-card.json.";

constexpr auto rpc_text =
    "JSON-RPC: SendMessage, SendStreamingMessage (server-sent events), GetTask, ListTasks, CancelTask and "
    "SubscribeToTask, and the names of version 0.3 (message/send, message/stream, tasks/get, tasks/cancel, "
    "tasks/resubscribe). The bearer is an API key of the agent's owner or the token of an agent that the config admits "
    "(bus.accept); of another user with bus.accept: all. A message counts towards the caller's messages a day. Tasks "
    "are kept for 30 days; each caller sees its own. Errors of calls are JSON-RPC errors with status 200; refusals "
    "before a call is read have their own status and the same form.";

std::vector<web::Route> rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/a2a/jwks.json", guards.none, nullptr, web::plain(on(show_keys)),
       "The key that signs agent cards, as a JWK set"},
      {web::GET, "/a2a/:agentId/.well-known/agent-card.json", guards.none, &rpc_rate,
       web::plain(on(show_card, agent_in_path)).fails({web::Kind::not_found}).describe(card_text),
       "An agent's card (A2A)"},
      {web::GET, "/a2a/:agentId/.well-known/agent.json", guards.none, &rpc_rate,
       web::plain(on(show_card, agent_in_path)).fails({web::Kind::not_found}).describe(legacy_card_text),
       "An agent's card (A2A 0.3)"},
      {web::POST, "/a2a/:agentId", guards.model_caller, &rpc_rate,
       web::body<Request>(on(answer_call, agent_in_path))
           .fails({web::Kind::not_found})
           .describe(rpc_text)
           .with_last_slash(),
       "Give tasks to an agent (A2A)"},
  };
}

}  // namespace

bool is_at_agents_hosts(std::string_view path) {
  return path == host_card_path || path == host_legacy_card_path || path == host_rpc_path || path == "/a2a/";
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto all = rows(guards, on);
  std::vector<web::Route> at_hosts{
      {web::GET, host_card_path, guards.none, &rpc_rate,
       web::plain(on(show_card, agent_of_host))
           .fails({web::Kind::not_found})
           .describe(std::string("At an agent's own host name. ") + card_text),
       "The card of the agent of this host (A2A)"},
      {web::POST, host_rpc_path, guards.model_caller, &rpc_rate,
       web::body<Request>(on(answer_call, agent_of_host))
           .fails({web::Kind::not_found})
           .describe(std::string("At an agent's own host name. ") + rpc_text)
           .with_last_slash(),
       "Give tasks to the agent of this host (A2A)"},
      {web::GET, host_legacy_card_path, guards.none, &rpc_rate,
       web::plain(on(show_card, agent_of_host))
           .fails({web::Kind::not_found})
           .describe(std::string("At an agent's own host name. ") + legacy_card_text),
       "The card of the agent of this host (A2A 0.3)"},
  };
  web::append(all, std::move(at_hosts));
  return all;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(guards, on);
}

}  // namespace a2a
