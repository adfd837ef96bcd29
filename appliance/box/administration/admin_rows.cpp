#include "appliance/box/administration/admin_rows.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace administration {

namespace {

using agentbox::BackendGuards;

constexpr std::string_view admin_rows = "/api/admin/";

constexpr const char* recent_text =
    "Needs a sign-in or POST /api/auth/step-up within the last ten minutes; otherwise the answer is 403, "
    "STEP_UP_REQUIRED.";

enum class Need { session, recent };

// What an administrator's session needs for the rows of a backend guard.
struct Counterpart {
  web::Guard BackendGuards::*guard;
  Need reading, changing;
};

constexpr std::array counterparts{
    Counterpart{&BackendGuards::users, Need::session, Need::recent},
    Counterpart{&BackendGuards::users_secrets, Need::recent, Need::recent},
    Counterpart{&BackendGuards::agents, Need::session, Need::session},
    Counterpart{&BackendGuards::backup, Need::session, Need::recent},
    Counterpart{&BackendGuards::box, Need::session, Need::recent},
    Counterpart{&BackendGuards::internal, Need::session, Need::recent},
};

// What users with the role support may call: users, states of agents, usage, events and the box's health. All else is
// for administrators, and so are all changes.
constexpr std::array<std::string_view, 6> open_to_support{"/api/admin/users",           "/api/admin/users/:user",
                                                          "/api/admin/agents",          "/api/admin/statement",
                                                          "/api/admin/security-events", "/api/admin/metrics"};

bool is_open_to_support(const web::Route& row) {
  return row.method == web::GET && std::ranges::find(open_to_support, row.path) != open_to_support.end();
}

bool reads(web::Method method) { return method == web::Method::get || method == web::Method::head; }

// The text that names the operator keys' scopes concerns the backend alone: it is the description's end.
std::string without_scopes(std::string text) {
  for (const std::string_view beginning : {"Operator keys ", "Of operator keys, "})
    if (const auto at = text.rfind(beginning); at != std::string::npos) text.resize(at);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

web::Route with_recent_proof(web::Route row, const web::Guard& recent) {
  auto& text = row.endpoint.description;
  text += (text.empty() ? "" : " ") + std::string(recent_text);
  return {row.method, std::move(row.path), recent, row.rate, std::move(row.endpoint), row.summary};
}

}  // namespace

web::Guard recent_admin_session(const web::Guard& admin_session,
                                std::function<bool(const std::string& session_id)> is_recent) {
  return {.name = "recent admin session",
          .scheme = admin_session.scheme,
          .admit = [admit = admin_session.admit,
                    is_recent = std::move(is_recent)](const web::Request& request) -> web::Result<web::Caller> {
            auto caller = admit(request);
            if (!caller || is_recent(caller->credential)) return caller;
            web::Error refused = web::forbidden("Please confirm your password or second factor first");
            refused.code = "STEP_UP_REQUIRED";
            return refused;
          },
          .forbids = true};
}

const web::Guard& documented_recent_admin_session() {
  static const web::Guard guard = recent_admin_session({.name = "", .scheme = "cookie", .admit = {}}, {});
  return guard;
}

void offer_to_administrators(const agentbox::Guards& guards, const web::Guard& recent, agentbox::Rows& rows) {
  std::set<std::pair<web::Method, std::string>> own;
  std::vector<web::Route> of_web;
  for (web::Route& row : rows.web) {
    own.emplace(row.method, row.path);
    const bool is_of_admins = &row.guard == &guards.admin_session;
    if (is_of_admins && !reads(row.method))
      of_web.push_back(with_recent_proof(std::move(row), recent));
    else if (is_of_admins && is_open_to_support(row))
      of_web.push_back({row.method, std::move(row.path), guards.support_session, row.rate, std::move(row.endpoint),
                        std::move(row.summary)});
    else
      of_web.push_back(std::move(row));
  }
  rows.web = std::move(of_web);
  for (const web::Route& row : rows.backend) {
    if (!row.path.starts_with(admin_rows) || own.contains({row.method, row.path})) continue;
    const auto counterpart = std::ranges::find_if(
        counterparts, [&](const Counterpart& one) { return &(guards.backend.*one.guard) == &row.guard; });
    if (counterpart == counterparts.end()) continue;
    const Need need = row.method == web::DELETE ? Need::recent
                      : reads(row.method)       ? counterpart->reading
                                                : counterpart->changing;
    const auto& session = is_open_to_support(row) ? guards.support_session : guards.admin_session;
    web::Route offered{row.method, row.path, session, row.rate, row.endpoint, row.summary};
    offered.endpoint.description = without_scopes(std::move(offered.endpoint.description));
    rows.web.push_back(need == Need::recent ? with_recent_proof(std::move(offered), recent) : std::move(offered));
  }
}

}  // namespace administration
