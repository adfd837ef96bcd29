#include "appliance/identity/sign_in_methods/handlers.h"

namespace sign_in_methods {

namespace {

// "id.example.org" of "https://id.example.org:8443/realm".
std::string host_of(std::string_view url) {
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return std::string(url.substr(0, url.find_first_of(":/?#")));
}

}  // namespace

web::Answer show_methods(const Services& services, const web::Request&) {
  const auto& settings = services.settings;
  MethodsView answer{.registration = settings.registration, .sendsMail = !settings.smtp_url.empty()};
  if (!settings.idp_issuer.empty() && !settings.idp_client_id.empty() && !settings.idp_client_id.front().empty())
    answer.providers.push_back({.id = "idp", .name = host_of(settings.idp_issuer), .url = "/api/auth/idp"});
  if (!settings.codehost_client_id.empty() && !settings.codehost_client_secret.empty())
    answer.providers.push_back(
        {.id = "codehost", .name = host_of(settings.codehost_base_url), .url = "/api/auth/codehost"});
  answer.socialId = !settings.social_id_issuer.empty() && !settings.social_id_client_id.empty();
  co_return web::reply(answer, 200);
}

}  // namespace sign_in_methods
