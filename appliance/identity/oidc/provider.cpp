#include "appliance/identity/oidc/provider.h"

#include <algorithm>

#include "appliance/identity/oauth/client.h"
#include "web/json.h"

namespace oidc {

namespace {

constexpr std::chrono::hours metadata_lifetime{24};

std::string_view without_slash(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return issuer;
}

web::Error unusable(std::string detail) {
  return {.kind = web::Kind::bad_gateway,
          .message = "The identity provider's configuration cannot be used",
          .detail = std::move(detail)};
}

bool lists(const boost::json::value& document, std::string_view name, std::string_view item) {
  const auto* list = document.get_object().if_contains(name);
  return list != nullptr && list->is_array() &&
         std::ranges::find(list->get_array(), boost::json::value(item)) != list->get_array().end();
}

web::Result<Endpoints> read(const boost::json::value& document, const std::string& issuer) {
  if (!document.is_object()) return unusable("it is no object");
  if (!same_issuer(web::string_member(document, "issuer"), issuer))
    return unusable("it is of the issuer " + web::string_member(document, "issuer"));
  Endpoints endpoints{.authorization = web::string_member(document, "authorization_endpoint"),
                      .token = web::string_member(document, "token_endpoint"),
                      .userinfo = web::string_member(document, "userinfo_endpoint"),
                      .keys = web::string_member(document, "jwks_uri"),
                      .has_offline_scope = lists(document, "scopes_supported", "offline_access"),
                      .takes_basic = !document.get_object().contains("token_endpoint_auth_methods_supported") ||
                                     lists(document, "token_endpoint_auth_methods_supported", "client_secret_basic")};
  // The endpoints of an https provider must be https: codes and tokens are secret.
  const std::string_view scheme = issuer.starts_with("https://") ? "https://" : "http";
  for (const auto* url : {&endpoints.authorization, &endpoints.token, &endpoints.keys})
    if (!url->starts_with(scheme)) return unusable("an endpoint is missing or not https");
  if (!endpoints.userinfo.empty() && !endpoints.userinfo.starts_with(scheme)) return unusable("userinfo is not https");
  return endpoints;
}

}  // namespace

bool same_issuer(std::string_view a, std::string_view b) { return without_slash(a) == without_slash(b); }

Provider::Provider(std::string issuer)
    : issuer_(std::move(issuer)), keys_([this]() -> web::Task<web::Result<std::string>> {
        const auto found = co_await endpoints();
        if (!found) co_return found.error();
        co_return (*found)->keys;
      }) {}

web::Task<web::Result<std::shared_ptr<const Endpoints>>> Provider::endpoints() {
  {
    const std::scoped_lock lock(mutex_);
    if (endpoints_ && Clock::now() - fetched_at_ < metadata_lifetime) co_return endpoints_;
  }
  const auto document =
      co_await oauth::get_json(std::string(without_slash(issuer_)) + "/.well-known/openid-configuration");
  if (!document) co_return document.error();
  const auto read_endpoints = read(*document, issuer_);
  if (!read_endpoints) co_return read_endpoints.error();
  const std::scoped_lock lock(mutex_);
  endpoints_ = std::make_shared<const Endpoints>(*read_endpoints);
  fetched_at_ = Clock::now();
  co_return endpoints_;
}

}  // namespace oidc
