#include "appliance/box/console/security_txt.h"

#include "appliance/foundation/timestamp.h"
#include "appliance/identity/site.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace security_txt {

namespace {

void add(std::string& text, std::string_view field, std::string_view value) {
  if (!value.empty()) text.append(field).append(": ").append(value).append("\n");
}

store::Time expiry(const agentbox::Settings& settings, store::Time now) {
  const auto given = agentbox::parse_timestamp(settings.security_expires);
  return given ? *given : store::Time(std::chrono::floor<std::chrono::days>(now + default_lifetime));
}

}  // namespace

std::optional<std::string> text_of(const agentbox::Settings& settings, store::Time now) {
  if (settings.security_contact.empty()) return std::nullopt;
  std::string text;
  for (const auto& contact : settings.security_contact) add(text, "Contact", contact);
  add(text, "Expires", web::iso8601(expiry(settings, now)));
  add(text, "Encryption", settings.security_encryption);
  add(text, "Acknowledgments", settings.security_acknowledgments);
  add(text, "Preferred-Languages", settings.security_languages);
  add(text, "Policy", settings.security_policy);
  const agentbox::Site site(settings.base_url);
  if (site.origin().starts_with("https://")) add(text, "Canonical", site.url("/.well-known/security.txt"));
  return text;
}

web::Task<web::Result<web::Response>> show(const Services& services, const web::Request&) {
  auto text = text_of(services.settings, store::now());
  if (!text) co_return web::not_found();
  co_return web::text(std::move(*text)).set("Cache-Control", "public, max-age=86400");
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/.well-known/security.txt", guards.none, nullptr,
       web::plain(on(show)).describe("RFC 9116, from the settings SECURITY_*; 404 without a SECURITY_CONTACT."),
       "Where to report vulnerabilities"},
  };
}

}  // namespace security_txt
