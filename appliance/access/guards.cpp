#include "appliance/access/guards.h"

#include <algorithm>
#include <memory>

#include "appliance/access/key_guards.h"
#include "appliance/access/keys.h"
#include "appliance/access/records.h"
#include "appliance/access/session_cookie.h"
#include "appliance/access/sessions.h"
#include "web/ascii.h"

namespace agentbox {

namespace {

using Admission = web::Result<web::Caller>;
using SharedGuardSources = std::shared_ptr<const GuardSources>;

web::Error must_enrol_first() {
  web::Error refused = web::forbidden("This box requires a second factor of you: please set one up first");
  refused.code = "SECOND_FACTOR_SETUP_REQUIRED";
  return refused;
}

Admission admitted(const GuardSources& sources, std::optional<accounts::Sessions::SignedIn> found) {
  if (!found) return web::unauthenticated();
  return web::Caller{
      .user_id = found->user->id, .admin = sources.is_admin(*found->user), .credential = std::move(found->session_id)};
}

Admission admit_session_enrolling(const GuardSources& sources, const web::Request& request) {
  return admitted(sources, sources.sessions.find(accounts::session_token(request)));
}

Admission admit_session(const GuardSources& sources, const web::Request& request) {
  auto found = sources.sessions.find(accounts::session_token(request));
  if (found && sources.must_enrol(*found->user)) return must_enrol_first();
  return admitted(sources, std::move(found));
}

Admission admit_admin_session(const GuardSources& sources, const web::Request& request) {
  auto caller = admit_session(sources, request);
  if (caller && !caller->admin) {
    web::Error refused = web::forbidden("Administrators only");
    refused.code = "ADMIN_REQUIRED";
    return refused;
  }
  return caller;
}

Admission admit_support_session(const GuardSources& sources, const web::Request& request) {
  auto found = sources.sessions.find(accounts::session_token(request));
  if (found && sources.must_enrol(*found->user)) return must_enrol_first();
  const bool is_support = found && found->user->is_support;
  auto caller = admitted(sources, std::move(found));
  if (caller && !caller->admin && !is_support) {
    web::Error refused = web::forbidden("Administrators and support only");
    refused.code = "SUPPORT_REQUIRED";
    return refused;
  }
  return caller;
}

Admission admit_session_optional(const GuardSources& sources, const web::Request& request) {
  // Two cookies are an attack or a mistake; an anonymous answer would hide it.
  if (request.cookies(accounts::session_cookie).size() > 1 && !accounts::session_token(request))
    return web::unauthenticated();
  auto caller = admit_session(sources, request);
  if (!caller && caller.error().kind == web::Kind::unauthenticated) return web::Caller{};
  return caller;
}

Admission admit_key(const GuardSources& sources, std::string_view key) {
  const auto valid = sources.keys.validate(key);
  if (!valid) return web::unauthenticated();
  if (sources.must_enrol(*valid->user)) return must_enrol_first();
  return web::Caller{.user_id = valid->user->id, .admin = sources.is_admin(*valid->user), .credential = valid->key->id};
}

// The value of ?key=, as some clients of Google send their key; nothing for two of them. Keys and tokens have no
// characters that need an escape.
std::optional<std::string_view> key_in_query(std::string_view query) {
  constexpr std::string_view name = "key=";
  std::optional<std::string_view> found;
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (!pair.starts_with(name)) continue;
    if (found || pair.size() == name.size()) return {};
    found = pair.substr(name.size());
  }
  return found;
}

// The token of Authorization: Bearer, or of x-api-key or x-goog-api-key, which Anthropic's and Google's clients send;
// nothing for two of them. Only the rows in Google's form take it from the query, which the box never logs.
std::optional<std::string_view> model_credential(const web::Request& request) {
  if (request.has_header("Authorization")) return request.bearer();
  std::optional<std::string_view> found;
  for (const auto& header : request.headers) {
    if (!web::equal_ignoring_case(header.name, "x-api-key") && !web::equal_ignoring_case(header.name, "x-goog-api-key"))
      continue;
    if (found || header.value.empty()) return {};
    found = header.value;
  }
  if (!found && request.path.starts_with("/v1beta/")) return key_in_query(request.query);
  return found;
}

Admission admit_user_key(const GuardSources& sources, const web::Request& request) {
  const auto token = request.bearer();
  return token ? admit_key(sources, *token) : web::unauthenticated();
}

Admission admit_installation_key(const GuardSources& sources, const web::Request& request) {
  constexpr std::string_view prefix = "sk_";
  const auto token = request.bearer();
  if (!token) return web::unauthenticated();
  return admit_key(sources,
                   token->starts_with(prefix) ? std::string(*token) : std::string(prefix) + std::string(*token));
}

Admission admit_agent_token(const GuardSources& sources, const web::Request& request) {
  const auto token = model_credential(request);
  if (!token || token->empty()) return web::unauthenticated();
  auto caller = sources.agent_of(*token);
  if (!caller) return web::unauthenticated();
  // Owner 0: an agent of the box itself.
  if (caller->user_id != 0) {
    const auto owner = sources.system.cached(accounts::users, caller->user_id);
    if (!owner || owner->is_disabled) return web::unauthenticated();
    caller->admin = false;  // agents never have their owner's administrator rights
  }
  return std::move(*caller);
}

Admission admit_model_caller(const GuardSources& sources, const web::Request& request) {
  // Both are tried, since an agent's token may begin like a key by chance.
  const auto token = model_credential(request);
  if (!token) return web::unauthenticated();
  const bool is_like_key = token->starts_with("sk_");
  auto caller = is_like_key ? admit_key(sources, *token) : admit_agent_token(sources, request);
  if (caller || caller.error().kind == web::Kind::forbidden) return caller;
  return is_like_key ? admit_agent_token(sources, request) : admit_key(sources, *token);
}

web::Guard guard(std::string name, std::string scheme, const SharedGuardSources& sources,
                 Admission (*admit)(const GuardSources&, const web::Request&)) {
  return {.name = std::move(name), .scheme = std::move(scheme), .admit = [sources, admit](const web::Request& request) {
            return admit(*sources, request);
          }};
}

// A guard that answers 403 to some callers that it has authenticated.
web::Guard forbidding(web::Guard guard) {
  guard.forbids = true;
  return guard;
}

Guards guards_over(const SharedGuardSources& sources) {
  return {
      .none = {"none", "", [](const web::Request&) -> Admission { return web::Caller{}; }},
      .session = forbidding(guard("session", "cookie", sources, admit_session)),
      .session_optional = forbidding(guard("session, if any", "cookie", sources, admit_session_optional)),
      .session_enrolling = guard("session to enrol", "cookie", sources, admit_session_enrolling),
      .admin_session = forbidding(guard("admin session", "cookie", sources, admit_admin_session)),
      .support_session = forbidding(guard("support session", "cookie", sources, admit_support_session)),
      .backend = make_backend_guards(sources ? sources->backend : nullptr),
      .user_key = forbidding(guard("API key", "bearer", sources, admit_user_key)),
      .installation_key = forbidding(guard("API key, with or without sk_", "bearer", sources, admit_installation_key)),
      .agent_token = guard("agent token", "bearer", sources, admit_agent_token),
      .model_caller = forbidding(guard("agent token or API key", "bearer", sources, admit_model_caller))};
}

}  // namespace

Guards make_guards(GuardSources sources) {
  return guards_over(std::make_shared<const GuardSources>(std::move(sources)));
}

Guards documented_guards() { return with_documented_key_guards(guards_over(nullptr)); }

}  // namespace agentbox
