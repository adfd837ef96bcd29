#include "appliance/access/backend_guards.h"

#include <algorithm>
#include <array>

#include "appliance/access/acting_as.h"
#include "appliance/access/operator_keys.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"

namespace agentbox {

namespace {

using Admission = web::Result<web::Caller>;
using operator_keys::OperatorKey;
namespace scope = operator_keys::scope;

constexpr std::string_view admin_rows = "/api/admin/";

// One guard: what an operator key needs to open its rows.
struct Lock {
  web::Guard BackendGuards::*guard;
  std::string_view name;
  std::string_view scope;         // empty: no scope opens it
  bool has_secrets = false;       // GET rows are not for read-only keys
  bool is_wrong_key_401 = false;  // else 403
  bool is_of_whole_box = false;   // opened by keys that have no scope but read-only
  bool is_internal_only = false;
};

constexpr std::array<Lock, 10> locks{{
    {.guard = &BackendGuards::users, .name = "scope users", .scope = scope::users},
    {.guard = &BackendGuards::users_secrets,
     .name = "scope users not read-only",
     .scope = scope::users,
     .has_secrets = true},
    {.guard = &BackendGuards::agents, .name = "scope agents", .scope = scope::agents},
    {.guard = &BackendGuards::agents_secrets,
     .name = "scope agents not read-only",
     .scope = scope::agents,
     .has_secrets = true},
    {.guard = &BackendGuards::agents_logs,
     .name = "scope agents or 401",
     .scope = scope::agents,
     .is_wrong_key_401 = true},
    {.guard = &BackendGuards::files, .name = "scope files or 401", .scope = scope::files, .is_wrong_key_401 = true},
    {.guard = &BackendGuards::backup, .name = "scope backup", .scope = scope::backup},
    {.guard = &BackendGuards::scim, .name = "scope scim or 401", .scope = scope::scim, .is_wrong_key_401 = true},
    {.guard = &BackendGuards::box, .name = "scope read-only", .scope = "", .is_of_whole_box = true},
    {.guard = &BackendGuards::internal, .name = "internal key", .scope = "", .is_internal_only = true},
}};

bool reads(web::Method method) { return method == web::Method::get || method == web::Method::head; }

web::Error operator_scope_required(std::string_view scope, std::string message) {
  web::Error refused = web::forbidden(std::move(message));
  refused.code = "SCOPE_REQUIRED";
  if (!scope.empty()) refused.extra["scope"] = scope;
  return refused;
}

// Why the key does not open the row; nothing if it does.
std::optional<web::Error> refusal(const OperatorKey& key, const Lock& lock, web::Method method) {
  if (lock.is_internal_only || (lock.is_of_whole_box && !reads(method)))
    return operator_scope_required("", "Only the internal key opens this");
  const bool is_read_only = key.has(scope::read_only);
  const std::string needed = ": this needs a key with the scope " + std::string(lock.scope) + " and without read-only";
  if (is_read_only && !reads(method))
    return operator_scope_required(lock.scope, "Keys with the scope read-only open only GET requests" + needed);
  if (is_read_only && lock.has_secrets)
    return operator_scope_required(lock.scope,
                                   "Keys with the scope read-only open no answers with credentials" + needed);
  if (is_read_only && key.scopes.size() == 1) return std::nullopt;
  if (lock.is_of_whole_box)
    return operator_scope_required(scope::read_only,
                                   "This concerns the whole box: the key needs the scope read-only and no other");
  if (key.has(lock.scope)) return std::nullopt;
  return operator_scope_required(lock.scope, "This key lacks the scope " + std::string(lock.scope));
}

// The caller of a valid key that opens the row.
Admission holder_of_key(const BackendSources& sources, const Lock& lock, const web::Request& request) {
  if (sources.internal_api_key.empty()) return web::internal("Server misconfigured");
  const auto token = request.bearer();
  if (!token || token->empty()) return web::unauthenticated();
  // Both are always compared, so that the time does not show which of them matches.
  const bool is_first = crypto::constant_time_equal(*token, sources.internal_api_key);
  const bool is_next = crypto::constant_time_equal(*token, sources.internal_api_key_next);
  if (is_first || (is_next && !sources.internal_api_key_next.empty()))
    return web::Caller{.credential = std::string(internal_caller)};
  if (!operator_keys::is_operator_key(*token)) {
    sources.on_wrong_key(request);
    return lock.is_wrong_key_401 ? web::unauthenticated() : web::forbidden();
  }
  const auto key = sources.operator_keys.validate(*token);
  if (!key) {
    sources.on_refused(request, "", "Unauthorized");
    return web::unauthenticated();
  }
  std::string credential = std::string(operator_caller) + key->name;
  if (auto refused = refusal(*key, lock, request.method)) {
    sources.on_refused(request, credential, refused->message);
    return std::move(*refused);
  }
  return web::Caller{.credential = std::move(credential)};
}

// The contract's rule for admin routes.
std::optional<web::Error> admin_refusal(const BackendSources& sources, const web::Request& request) {
  if (!request.route.starts_with(admin_rows)) return std::nullopt;
  const bool is_named = request.has_header(user_email_header);
  if (!is_named && !sources.is_admin_required) return std::nullopt;
  const auto email = normalised_email(request.header(user_email_header));
  if (email && sources.is_admin(*email)) return std::nullopt;
  web::Error refused = web::forbidden(is_named ? "x-user-email is not an administrator's address"
                                               : "x-user-email must be the address of an administrator");
  refused.code = "ADMIN_REQUIRED";
  return refused;
}

Admission admit_backend(const BackendSources& sources, const Lock& lock, const web::Request& request) {
  auto caller = holder_of_key(sources, lock, request);
  if (!caller) return caller;
  if (request.has_header(acting_as_header) && !is_acting_name(request.header(acting_as_header)))
    return web::invalid(std::string(acting_as_header) + " must be " + acting_name_form);
  if (auto refused = admin_refusal(sources, request)) {
    sources.on_refused(request, caller->credential, refused->message);
    return std::move(*refused);
  }
  return caller;
}

std::string description_of(const Lock& lock, web::Method method) {
  if (lock.is_internal_only || (lock.is_of_whole_box && !reads(method))) return "Operator keys do not open this.";
  if (lock.is_of_whole_box) return "Of operator keys, those with the scope `read-only` and no other open this.";
  const std::string scope = "Operator keys need the scope `" + std::string(lock.scope) + "`";
  if (lock.has_secrets || !reads(method)) return scope + " without `read-only`.";
  return scope + ", or `read-only` alone.";
}

}  // namespace

BackendGuards make_backend_guards(std::shared_ptr<const BackendSources> sources) {
  BackendGuards guards;
  for (const Lock& lock : locks)
    guards.*lock.guard = {
        .name = std::string(lock.name),
        .scheme = "bearer",
        .admit = [sources, &lock](const web::Request& request) { return admit_backend(*sources, lock, request); },
        .forbids = true};
  return guards;
}

void describe_scopes(const BackendGuards& guards, std::vector<web::Route>& rows) {
  for (web::Route& row : rows) {
    const auto lock = std::ranges::find_if(locks, [&](const Lock& one) { return &(guards.*one.guard) == &row.guard; });
    if (lock == locks.end()) continue;
    std::string& text = row.endpoint.description;
    if (!text.empty()) text += ' ';
    text += description_of(*lock, row.method);
  }
}

}  // namespace agentbox
