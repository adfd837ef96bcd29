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

bool reads(web::Method method) { return method == web::Method::get || method == web::Method::head; }

// The text that names the operator keys' scopes concerns the backend alone: it is the description's end.
std::string without_scopes(std::string text) {
  for (const std::string_view beginning : {"Operator keys ", "Of operator keys, "})
    if (const auto at = text.rfind(beginning); at != std::string::npos) text.resize(at);
  while (text.ends_with(' ')) text.pop_back();
  return text;
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
  for (const web::Route& row : rows.web) own.emplace(row.method, row.path);
  for (const web::Route& row : rows.backend) {
    if (!row.path.starts_with(admin_rows) || own.contains({row.method, row.path})) continue;
    const auto counterpart = std::ranges::find_if(
        counterparts, [&](const Counterpart& one) { return &(guards.backend.*one.guard) == &row.guard; });
    if (counterpart == counterparts.end()) continue;
    const Need need = row.method == web::DELETE ? Need::recent
                      : reads(row.method)       ? counterpart->reading
                                                : counterpart->changing;
    const web::Guard& guard = need == Need::recent ? recent : guards.admin_session;
    web::Route offered{row.method, row.path, guard, row.rate, row.endpoint, row.summary};
    auto& text = offered.endpoint.description;
    text = without_scopes(std::move(text));
    if (need == Need::recent) text += (text.empty() ? "" : " ") + std::string(recent_text);
    rows.web.push_back(std::move(offered));
  }
}

}  // namespace administration
