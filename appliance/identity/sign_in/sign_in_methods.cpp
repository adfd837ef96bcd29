#include "appliance/identity/sign_in/sign_in_methods.h"

namespace sign_in_methods {

namespace {

// "id.example.org" of "https://id.example.org:8443/realm".
std::string host_of(std::string_view url) {
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return std::string(url.substr(0, url.find_first_of(":/?#")));
}

web::Answer show_methods(const Services& services, const web::Request&) {
  const auto& settings = services.settings;
  const bool is_provider_only = settings.sign_in == "provider";
  MethodsView answer{.password = !is_provider_only,
                     .wallet = !is_provider_only,
                     .breakGlass = is_provider_only && !settings.break_glass_admin.empty(),
                     .registration = settings.registration,
                     .sendsMail = !settings.smtp_url.empty()};
  if (!settings.idp_issuer.empty() && !settings.idp_client_id.empty() && !settings.idp_client_id.front().empty())
    answer.providers.push_back({.id = "idp", .name = host_of(settings.idp_issuer), .url = "/api/auth/idp"});
  if (!is_provider_only && !settings.codehost_client_id.empty() && !settings.codehost_client_secret.empty())
    answer.providers.push_back(
        {.id = "codehost", .name = host_of(settings.codehost_base_url), .url = "/api/auth/codehost"});
  answer.socialId = !is_provider_only && !settings.social_id_issuer.empty() && !settings.social_id_client_id.empty();
  co_return web::reply(answer, 200);
}

constexpr auto methods =
    "For sign-in pages. `providers` are those that are configured; a browser goes to `url` to sign in with one. "
    "`wallet` "
    "and `password` work unless SIGN_IN is provider, and `socialId` needs SOCIAL_ID_ISSUER. With `breakGlass` one "
    "administrator may use a password nevertheless. `registration` is open, invite or closed. "
    "Without "
    "`sendsMail` the administrator passes on links for new passwords.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/auth/methods", guards.none, nullptr,
       web::plain(on(show_methods)).returns<MethodsView>().describe(methods), "Ways of signing in"},
  };
}

}  // namespace sign_in_methods
