#include "appliance/identity/guards.h"

#include <memory>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/session_cookie.h"
#include "appliance/identity/accounts/sessions.h"
#include "appliance/identity/key_scopes/key_guards.h"
#include "appliance/identity/keys/keys.h"

namespace agentbox {

namespace {

using Admission = web::Result<web::Caller>;
using Sources = std::shared_ptr<const GuardSources>;

web::Error must_enrol_first() {
  web::Error refused = web::forbidden("Administrators of this box need a second factor: please set one up first");
  refused.code = "SECOND_FACTOR_SETUP_REQUIRED";
  return refused;
}

Admission admitted(const GuardSources& sources, std::optional<accounts::Sessions::SignedIn> found) {
  if (!found) return web::unauthenticated();
  return web::Caller{.user_id = found->user->id,
                     .admin = sources.accounts.is_admin(*found->user),
                     .credential = std::move(found->session_id)};
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

Admission admit_session_optional(const GuardSources& sources, const web::Request& request) {
  // Two cookies are an attack or a mistake; an anonymous answer would hide it.
  if (request.cookies(accounts::session_cookie).size() > 1) return web::unauthenticated();
  auto caller = admit_session(sources, request);
  if (!caller && caller.error().kind == web::Kind::unauthenticated) return web::Caller{};
  return caller;
}

Admission admit_key(const GuardSources& sources, std::string_view key) {
  const auto valid = sources.keys.validate(key);
  if (!valid) return web::unauthenticated();
  if (sources.must_enrol(*valid->user)) return must_enrol_first();
  return web::Caller{
      .user_id = valid->user->id, .admin = sources.accounts.is_admin(*valid->user), .credential = valid->key->id};
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
  const auto token = request.bearer();
  if (!token || token->empty()) return web::unauthenticated();
  auto caller = sources.agent_of(*token);
  if (!caller) return web::unauthenticated();
  // Owner 0: an agent of the box itself.
  if (caller->user_id != 0) {
    const auto owner = sources.accounts.find(caller->user_id);
    if (!owner || owner->is_disabled) return web::unauthenticated();
    caller->admin = false;  // agents never have their owner's administrator rights
  }
  return std::move(*caller);
}

Admission admit_model_caller(const GuardSources& sources, const web::Request& request) {
  // Both are tried, since an agent's token may begin like a key by chance.
  const auto bearer = request.bearer();
  const bool is_like_key = bearer && bearer->starts_with("sk_");
  auto caller = is_like_key ? admit_user_key(sources, request) : admit_agent_token(sources, request);
  if (caller) return caller;
  return is_like_key ? admit_agent_token(sources, request) : admit_user_key(sources, request);
}

using Admit = Admission (*)(const GuardSources&, const web::Request&);

web::Guard guard(std::string name, std::string scheme, const Sources& sources, Admit admit) {
  return {.name = std::move(name), .scheme = std::move(scheme), .admit = [sources, admit](const web::Request& request) {
            return admit(*sources, request);
          }};
}

// A guard that answers 403 to some callers that it has authenticated.
web::Guard forbidding(web::Guard guard) {
  guard.forbids = true;
  return guard;
}

Guards guards_over(const Sources& sources) {
  return {
      .none = {"none", "", [](const web::Request&) -> Admission { return web::Caller{}; }},
      .session = forbidding(guard("session", "cookie", sources, admit_session)),
      .session_optional = forbidding(guard("session, if any", "cookie", sources, admit_session_optional)),
      .session_enrolling = guard("session to enrol", "cookie", sources, admit_session_enrolling),
      .admin_session = forbidding(guard("admin session", "cookie", sources, admit_admin_session)),
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
