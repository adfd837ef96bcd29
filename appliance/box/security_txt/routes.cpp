#include "appliance/box/security_txt/routes.h"

#include "appliance/box/security_txt/handlers.h"
#include "web/routes/endpoint.h"

namespace security_txt {

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/.well-known/security.txt", guards.none, nullptr,
       web::plain(on(show)).describe("RFC 9116, from the settings SECURITY_*; 404 without a SECURITY_CONTACT."),
       "Where to report vulnerabilities"},
  };
}

}  // namespace security_txt
