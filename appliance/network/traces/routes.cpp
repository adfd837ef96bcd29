#include "appliance/network/traces/routes.h"

#include "appliance/identity/key_scopes/key_guards.h"
#include "appliance/network/traces/handlers.h"
#include "web/routes/endpoint.h"

namespace traces {

namespace {

constexpr const char* list_text =
    "A trace is what followed from one message, model call or event: its spans are a turn of an agent (plan), calls of "
    "tools (tool_call) and models (inference), and events of the watchdog (monitor), and those that OpenTelemetry "
    "clients have sent to /v1/traces (foreign). `agent` is an agent's id, or the name of an agent elsewhere; `errors` "
    "true lists traces with failed spans, false those without; `since` and `until` are RFC 3339 times. With `next`, "
    "ask "
    "again with it as `before`; a page may have fewer traces than `limit`. `running` has work in progress, on the "
    "first "
    "page. Costs are in US dollars. The newest 100,000 spans of a user are kept.";
constexpr const char* tree_text =
    "`spans` is a tree: each span has `children`. Spans whose parent is unknown are roots. At most 2,000 spans are "
    "shown; `truncated` says whether there are more.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::usage, agentbox::About::account);
  return {
      {web::GET, "/api/traces", owner, nullptr,
       web::query<TraceQuery>(on(list_own_traces)).returns<TraceList>().describe(list_text),
       "List your traces, newest first"},
      {web::GET, "/api/traces/:id", owner, nullptr,
       web::plain(on(show_own_trace)).returns<TraceTree>().describe(tree_text), "One of your traces with its spans"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/traces", key, nullptr,
       web::query<UserTraceQuery>(on(list_traces)).returns<TraceList>().describe(list_text),
       "List a user's traces, newest first"},
      {web::GET, "/api/traces/:id", key, nullptr,
       web::query<UserQuery>(on(show_trace)).returns<TraceTree>().describe(tree_text),
       "One of a user's traces with its spans"},
  };
}

}  // namespace traces
