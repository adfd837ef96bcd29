#include "appliance/box/tls_authority/routes.h"

#include "appliance/box/tls_authority/handlers.h"
#include "web/routes/endpoint.h"

namespace tls_authority {

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/ca.crt", guards.none, nullptr,
       web::plain(on(show)).describe(
           "The certificate of TLS_CA in PEM, as application/x-x509-ca-cert, for devices that "
           "are to trust this box; 404 without one."),
       "The authority that certifies this box"},
  };
}

}  // namespace tls_authority
