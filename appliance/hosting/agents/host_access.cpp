#include "appliance/hosting/agents/host_access.h"

#include <algorithm>

#include "appliance/access/epochs.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/trusted_time.h"
#include "appliance/hosting/agents/owner_state.h"
#include "web/admission/csrf.h"
#include "web/ascii.h"
#include "web/protocol/request_head.h"
#include "web/protocol/set_cookie.h"

namespace agents {
namespace {

using web::Result;

constexpr std::string_view cookie_name = "agent-session";
constexpr std::chrono::hours cookie_lifetime{12};
constexpr std::chrono::seconds ticket_lifetime{60};
constexpr std::size_t max_tickets = 10'000;

// The cookie is <session id>.<HMAC-SHA256 under the agent's gateway token>: it is valid as long as both.
std::string seal(const Agent& agent, std::string_view session) {
  const std::string message = "agent host cookie\n" + agent.id + "\n" + std::string(session);
  return crypto::hex(crypto::hmac_sha256(agent.gateway_token.clear, message));
}

// The value of a query parameter, not decoded: tickets and tokens need no decoding.
std::optional<std::string_view> parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto end = std::min(query.find('&'), query.size());
    auto one = query.substr(0, end);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

// The target without our own parameters, so that they never reach the agent's log; empty if there are none.
std::string without_secrets(const web::Request& request) {
  if (!parameter(request.query, "token") && !parameter(request.query, "ticket")) return {};
  std::string kept;
  for (auto query = request.query; !query.empty();) {
    auto end = std::min(query.find('&'), query.size());
    auto one = query.substr(0, end);
    if (!one.starts_with("token=") && !one.starts_with("ticket=")) (kept += kept.empty() ? '?' : '&').append(one);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  const auto target = web::origin_form(request);
  return target.substr(0, target.find('?')) + kept;
}

bool asks_for_websocket(const web::Request& request) {
  return request.method == web::GET && web::lower_case(request.header("Upgrade")) == "websocket";
}

web::Error not_authorised() { return web::unauthenticated("Open this agent from the console, or send its token."); }

web::ProxyTarget gateway_of(const Agent& agent, const web::Request& request) {
  web::ProxyTarget target;
  target.host = "127.0.0.1";
  target.port = std::uint16_t(*agent.port);
  target.headers = {{"Authorization", "Bearer " + agent.gateway_token.clear}};
  target.drop_headers = {"Cookie", "X-CSRF-Token"};
  target.request_target = without_secrets(request);
  return target;
}

}  // namespace

HostAccess::HostAccess(store::System system, std::string domain, SessionLives session_lives)
    : system_(std::move(system)),
      suffix_("." + web::lower_case(domain)),
      session_lives_(session_lives ? std::move(session_lives) : [this](std::string_view id, store::UserId user) {
        return has_live_session(id, user);
      }) {}

std::string HostAccess::ticket(const Agent& agent, const web::Caller& caller) {
  auto ticket = crypto::random_token();
  const auto now = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex_);
  if (tickets_.size() >= max_tickets) std::erase_if(tickets_, [&](auto& entry) { return entry.second.expires < now; });
  if (tickets_.size() >= max_tickets) tickets_.erase(tickets_.begin());
  tickets_[ticket] = {
      .agent = agent.id, .session = caller.credential, .user = caller.user_id, .expires = now + ticket_lifetime};
  return ticket;
}

std::optional<Result<web::ProxyTarget>> HostAccess::route(const web::Request& request) {
  if (request.host.size() <= suffix_.size()) return {};
  auto host = web::lower_case(request.host);
  if (!host.ends_with(suffix_)) return {};
  host.resize(host.size() - suffix_.size());
  auto agent = system_.find_unique(records, "subdomain", host);
  if (!agent || agent->value.desired == desired::removed) return web::not_found("No agent lives at this address.");
  return admit(agent->value, request);
}

Result<web::ProxyTarget> HostAccess::admit(const Agent& agent, const web::Request& request) {
  if (auto ticket = parameter(request.query, "ticket")) {
    auto answer = redeem(agent, request, *ticket);
    if (!answer) return web::unauthenticated("This link has been used or is too old: open the agent from the console.");
    return *std::move(answer);
  }
  auto token = request.bearer();
  if (!token && asks_for_websocket(request)) token = parameter(request.query, "token");
  auto cookies = request.cookies(cookie_name);
  const bool is_owner =
      token ? crypto::constant_time_equal(*token, agent.gateway_token.clear) && admits_token(system_, agent)
            : cookies.size() == 1 && cookie_is_valid(agent, cookies.front());
  if (!is_owner) return not_authorised();
  // To a browser all agents' hosts are one site: it sends cookies along. One agent's page must not act on another
  // agent.
  if (!token && web::is_cross_site(request)) return web::forbidden("This request comes from another site");
  if (agent.status != Status::running || !agent.port) return web::unavailable("This agent is not running.");
  return gateway_of(agent, request);
}

std::optional<web::ProxyTarget> HostAccess::redeem(const Agent& agent, const web::Request& request,
                                                   std::string_view ticket) {
  Ticket redeemed;
  {
    std::lock_guard lock(mutex_);
    auto found = tickets_.find(ticket);
    if (found == tickets_.end()) return {};
    redeemed = std::move(found->second);
    tickets_.erase(found);
  }
  if (redeemed.agent != agent.id || redeemed.user != agent.owner) return {};
  if (redeemed.expires < std::chrono::steady_clock::now()) return {};
  if (!session_lives_(redeemed.session, redeemed.user)) return {};
  const web::Cookie cookie{.name = std::string(cookie_name),
                           .value = redeemed.session + "." + seal(agent, redeemed.session),
                           .max_age = cookie_lifetime,
                           .secure = request.secure};
  web::ProxyTarget target;
  target.answer = web::with_cookie(web::redirect("/").set("Cache-Control", "no-store"), cookie);
  return target;
}

bool HostAccess::cookie_is_valid(const Agent& agent, std::string_view cookie) const {
  auto dot = cookie.rfind('.');
  if (dot == std::string_view::npos) return false;
  auto session = cookie.substr(0, dot);
  return crypto::constant_time_equal(cookie.substr(dot + 1), seal(agent, session)) &&
         session_lives_(session, agent.owner);
}

bool HostAccess::has_live_session(std::string_view id, store::UserId user) const {
  auto session = system_.get(accounts::sessions, std::string(id));
  if (!session || session->value.user_id != user || session->value.expires_at <= agentbox::trusted_now()) return false;
  auto account = system_.get(accounts::users, user);
  return account && !account->value.is_disabled && accounts::is_live(session->value, account->value);
}

}  // namespace agents
