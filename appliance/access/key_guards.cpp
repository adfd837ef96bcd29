#include "appliance/access/key_guards.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "appliance/access/keys.h"
#include "appliance/access/records.h"
#include "web/protocol/media_type.h"
#include "web/routes/fields.h"

namespace agentbox {

namespace {

using Admission = web::Result<web::Caller>;
using Admit = std::function<Admission(const web::Request&)>;
using key_scopes::KeyScopes;
using key_scopes::Scope;
using SharedKeySources = std::shared_ptr<const KeySources>;

constexpr std::string_view key_prefix = "sk_";

struct AgentQuery {
  std::optional<web::Text<1, 128>> agentId;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agentId))

// The key that the request carries; nothing for other bearers, which are no credential of these rows.
std::optional<std::string_view> key_in(const web::Request& request) {
  const auto bearer = request.bearer();
  return bearer && bearer->starts_with(key_prefix) ? bearer : std::nullopt;
}

web::Error key_scope_required(Scope scope) {
  web::Error refused = web::forbidden("This key lacks the scope " + std::string(key_scopes::to_string(scope)));
  refused.code = "SCOPE_REQUIRED";
  refused.extra["scope"] = key_scopes::to_string(scope);
  return refused;
}

web::Error limited(std::string message) {
  web::Error refused = web::forbidden(std::move(message));
  refused.code = "KEY_LIMITED_TO_AGENTS";
  return refused;
}

// The agent in a JSON body. A body that is not valid is left to its row, which refuses it.
std::optional<std::string> agent_in_body(const web::Request& request) {
  if (request.body.empty() || !web::is_json_type(request.header("Content-Type"))) return std::nullopt;
  boost::system::error_code failed;
  const auto body = boost::json::parse(request.body, failed);
  if (failed || !body.is_object()) return std::nullopt;
  const auto* agent = body.get_object().if_contains("agentId");
  if (!agent || !agent->is_string()) return std::nullopt;
  return std::string(agent->get_string());
}

// Every agent that the request names.
web::Result<std::vector<std::string>> named_agents(const web::Request& request, store::UserId user) {
  std::vector<std::string> named;
  for (const auto& [name, value] : request.params) {
    // A user's own id is for the agent that the query or body names.
    const bool is_agent = name == "id" || name == "agentId" || (name == "userId" && value != std::to_string(user));
    if (is_agent) named.push_back(value);
  }
  const auto query = web::parse_query<AgentQuery>(request);
  if (!query) return query.error();
  if (query->agentId) named.emplace_back(*query->agentId);
  if (auto agent = agent_in_body(request)) named.push_back(std::move(*agent));
  return named;
}

std::optional<web::Error> beyond(const KeyScopes& key, RowScope about, const web::Request& request) {
  if (!key.agents || about == RowScope::list) return std::nullopt;
  if (about == RowScope::account)
    return limited("This key is limited to certain agents, and this is about the account");
  const auto named = named_agents(request, key.user_id);
  if (!named) return named.error();
  if (named->empty()) return limited("This key is limited to certain agents: name one of them in agentId");
  for (const auto& agent : *named)
    if (!reaches(key, agent)) return web::not_found();
  return std::nullopt;
}

Admission holder_of(const KeySources& sources, std::string_view text) {
  const auto valid = sources.keys.validate(text);
  if (!valid) return web::unauthenticated();
  if (sources.must_enrol(*valid->user)) {
    web::Error refused = web::forbidden("This box requires a second factor of you: please set one up first");
    refused.code = "SECOND_FACTOR_SETUP_REQUIRED";
    return refused;
  }
  return web::Caller{.user_id = valid->user->id, .admin = sources.is_admin(*valid->user), .credential = valid->key->id};
}

Admission admit_scoped_key(const KeySources& sources, Scope scope, RowScope about, const web::Request& request) {
  auto caller = holder_of(sources, *key_in(request));
  if (!caller) return caller;
  const auto scopes = key_scopes::find(sources.system, caller->user_id, caller->credential);
  if (!scopes || !has(*scopes, scope)) return key_scope_required(scope);
  if (auto refused = beyond(*scopes, about, request)) return std::move(*refused);
  return caller;
}

// Whether a row of the model API has this path: under /v1 or /v1beta, or one of those that answer without.
bool is_of_models(std::string_view path) {
  constexpr std::string_view prefixes[]{"/v1/", "/v1beta/", "/models/", "/audio/", "/images/"};
  constexpr std::string_view paths[]{"/chat/completions", "/responses", "/embeddings", "/models"};
  return std::ranges::any_of(prefixes, [path](auto prefix) { return path.starts_with(prefix); }) ||
         std::ranges::count(paths, path) > 0;
}

// Keys with scopes at the rows that are for keys alone.
Admission admit_bare_key(const KeySources& sources, const Admit& admit, const web::Request& request) {
  auto caller = admit(request);
  if (!caller || !caller->agent.empty()) return caller;
  const auto scopes = key_scopes::find(sources.system, caller->user_id, caller->credential);
  if (!scopes) return caller;
  if (is_of_models(request.path)) {
    if (!has(*scopes, Scope::models)) return key_scope_required(Scope::models);
    return caller;
  }
  if (request.path != "/mcp") return web::forbidden("Keys with scopes do not open this");
  if (scopes->agents) return limited("This key is limited to certain agents, and MCP is about all of them");
  // Scopes name rows, and tools are other ones: without a list of its own a key would have all that read.
  const auto key = sources.keys.find(caller->user_id, caller->credential);
  if (!key || !key->tools)
    return web::forbidden("Keys with scopes open MCP only if they name their tools: make one with `tools`");
  return caller;
}

// All guards of one box.
class KeyGuards {
 public:
  KeyGuards(const SharedKeySources& sources, const web::Guard& session, const web::Guard& optional) {
    for (const auto scope : key_scopes::all_scopes) {
      for (const auto about : {RowScope::agent, RowScope::account, RowScope::list}) {
        add(sources, session, scope, about, {});
        add(sources, optional, scope, about, ", if any");
      }
    }
  }

  const web::Guard& of(Scope scope, RowScope about, bool is_optional) const {
    return guards_.at({scope, about, is_optional});
  }

 private:
  void add(const SharedKeySources& sources, const web::Guard& cookie, Scope scope, RowScope about,
           std::string_view end) {
    web::Guard guard{.name = "session or key with " + std::string(key_scopes::to_string(scope)) + std::string(end),
                     .scheme = "cookie or bearer",
                     .admit = {},
                     .forbids = true};
    const bool is_optional = !end.empty();
    guard.admit = [=, admit = cookie.admit](const web::Request& request) -> Admission {
      if (key_in(request)) return admit_scoped_key(*sources, scope, about, request);
      auto caller = admit(request);
      // An anonymous answer would hide that a credential is of the wrong kind.
      if (is_optional && caller && caller->user_id == 0 && request.bearer()) return web::unauthenticated();
      return caller;
    };
    guards_.emplace(std::tuple(scope, about, is_optional), std::move(guard));
  }

  std::map<std::tuple<Scope, RowScope, bool>, web::Guard> guards_;
};

// The session guard's function, which keeps the guards for keys: they live exactly as long as the others.
struct SessionAdmit {
  Admit admit;
  std::shared_ptr<const KeyGuards> keys;
  Admission operator()(const web::Request& request) const { return admit(request); }
};

const KeyGuards& key_guards_of(const Guards& guards) {
  const auto* session = guards.session.admit.target<SessionAdmit>();
  if (!session) throw std::logic_error("these guards have none for keys");
  return *session->keys;
}

// Where no scope opens the row, a valid key is no credential, but a wrong one is an error.
Admission admit_optional(const KeySources& sources, const Admit& admit, const web::Request& request) {
  const auto key = key_in(request);
  if (key && !sources.keys.validate(*key)) return web::unauthenticated();
  return admit(request);
}

Guards with(const SharedKeySources& sources, Guards guards) {
  auto keys = std::make_shared<const KeyGuards>(sources, guards.session, guards.session_optional);
  guards.session.admit = SessionAdmit{std::move(guards.session.admit), std::move(keys)};
  guards.session_optional.admit = [sources, admit = guards.session_optional.admit](const web::Request& request) {
    return admit_optional(*sources, admit, request);
  };
  for (auto* guard : {&guards.user_key, &guards.model_caller}) {
    guard->admit = [sources, admit = guard->admit](const web::Request& request) {
      return admit_bare_key(*sources, admit, request);
    };
  }
  return guards;
}

}  // namespace

const web::Guard& session_or_key(const Guards& guards, Scope scope, RowScope about) {
  return key_guards_of(guards).of(scope, about, false);
}

const web::Guard& session_or_key_if_any(const Guards& guards, Scope scope, RowScope about) {
  return key_guards_of(guards).of(scope, about, true);
}

std::optional<std::vector<std::string>> agents_of(const store::System& system, const web::Caller& caller) {
  const auto scopes = key_scopes::find(system, caller.user_id, caller.credential);
  return scopes ? scopes->agents : std::nullopt;
}

Guards with_key_guards(Guards guards, KeySources sources) {
  return with(std::make_shared<const KeySources>(std::move(sources)), std::move(guards));
}

Guards with_documented_key_guards(Guards guards) { return with(nullptr, std::move(guards)); }

}  // namespace agentbox
