#include "appliance/box/acme/order.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>

#include "appliance/box/acme/challenge.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/certificates.h"
#include "web/json.h"

namespace acme {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr int max_polls = 30;
constexpr std::chrono::milliseconds first_pause = 250ms, longest_pause = 5s, longest_asked_pause = 15s;

std::vector<json::object> objects_in(const json::object& object, std::string_view name) {
  std::vector<json::object> found;
  if (const auto* list = object.if_contains(name); list && list->is_array())
    for (const auto& one : list->get_array())
      if (one.is_object()) found.push_back(one.get_object());
  return found;
}

// Reads the resource until it is no longer in one of these states.
web::Task<json::object> settled(Directory& directory, std::string url, std::vector<std::string> waiting) {
  web::Timer pause(co_await boost::asio::this_coro::executor);
  auto next = first_pause;
  for (int poll = 0; poll < max_polls; ++poll) {
    auto reply = co_await directory.post(url, "");
    const auto status = web::string_member(reply.body, "status");
    if (std::ranges::find(waiting, status) == waiting.end()) co_return std::move(reply.body);
    const auto asked = std::min<std::chrono::milliseconds>(reply.retry_after, longest_asked_pause);
    pause.expires_after(std::max(asked, next));
    co_await pause.async_wait(web::use_task);
    next = std::min(2 * next, longest_pause);
  }
  throw Refused("the certificate authority did not decide within minutes");
}

// Of the challenge that the authority tried, or else of the whole.
std::string failure_reason(const json::object& authorization) {
  for (const auto& challenge : objects_in(authorization, "challenges"))
    if (const auto* problem = challenge.if_contains("error"); problem && problem->is_object())
      if (auto detail = web::string_member(problem->get_object(), "detail"); !detail.empty())
        return detail.substr(0, 500);
  return "it is " + web::string_member(authorization, "status");
}

std::string name_in(const json::object& authorization) {
  const auto* identifier = authorization.if_contains("identifier");
  return identifier && identifier->is_object() ? web::string_member(identifier->get_object(), "value") : std::string();
}

json::object chosen(const json::object& authorization, const std::vector<std::string>& kinds) {
  const auto offered = objects_in(authorization, "challenges");
  for (const auto& kind : kinds) {
    const auto found =
        std::ranges::find(offered, kind, [](const json::object& one) { return web::string_member(one, "type"); });
    if (found != offered.end()) return *found;
  }
  throw Refused(
      "the certificate authority offers " + name_in(authorization) +
      " no challenge that the box can meet: HTTP-01 needs HTTP_REDIRECT_LISTEN, and TLS-ALPN-01 the port 443");
}

web::Task<> prove(Directory& directory, std::string url, std::vector<std::string> kinds) {
  const auto asked = co_await directory.post(url, "");
  if (web::string_member(asked.body, "status") == "valid") co_return;  // since an order before
  const auto challenge = chosen(asked.body, kinds);
  const auto kind = web::string_member(challenge, "type"), name = name_in(asked.body),
             token = web::string_member(challenge, "token");
  const Presented presented(kind, name, token, directory.key().authorization(token));
  co_await directory.post(web::string_member(challenge, "url"), "{}");
  std::vector<std::string> waiting{"pending", "processing"};
  const auto decided = co_await settled(directory, std::move(url), std::move(waiting));
  if (web::string_member(decided, "status") != "valid")
    throw Refused("the certificate authority could not validate " + name + " by " + kind + ": " +
                  failure_reason(decided));
}

std::string order_for(const std::vector<std::string>& names) {
  json::array identifiers;
  for (const auto& name : names) identifiers.push_back(json::object{{"type", "dns"}, {"value", name}});
  return json::serialize(json::object{{"identifiers", std::move(identifiers)}});
}

}  // namespace

web::Task<std::string> obtain(Directory& directory, Wanted wanted) {
  const auto new_order = directory.url_of("newOrder"), payload = order_for(wanted.names);
  const auto order = co_await directory.post(new_order, payload);
  const auto* authorizations = order.body.if_contains("authorizations");
  if (!authorizations || !authorizations->is_array() || order.location.empty())
    throw Refused("the certificate authority's order cannot be understood");
  for (const auto& one : authorizations->get_array()) {
    if (!one.is_string()) throw Refused("the certificate authority's order cannot be understood");
    co_await prove(directory, std::string(one.get_string()), wanted.challenges);
  }

  const auto request = crypto::to_base64url(crypto::make_certificate_request(wanted.key, wanted.names));
  const auto finalization = json::serialize(json::object{{"csr", request}});
  co_await directory.post(web::string_member(order.body, "finalize"), finalization);
  std::vector<std::string> waiting{"pending", "ready", "processing"};
  const auto done = co_await settled(directory, order.location, std::move(waiting));
  const auto url = web::string_member(done, "certificate");
  if (web::string_member(done, "status") != "valid" || url.empty())
    throw Refused("the certificate authority did not issue the certificate: the order is " +
                  web::string_member(done, "status"));
  auto certificate = co_await directory.post(url, "");
  co_return std::move(certificate.text);
}

}  // namespace acme
