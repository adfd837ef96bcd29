#include "appliance/box/console/tls_authority.h"

namespace tls_authority {

namespace {

web::Answer show(const Services& services, const web::Request&) {
  if (!services.certificate) co_return web::not_found();
  web::Response response;
  response.content_type = "application/x-x509-ca-cert";
  response.set("Content-Disposition", "attachment; filename=\"agentbox-ca.crt\"").set("Cache-Control", "no-cache");
  response.body = *services.certificate;
  co_return response;
}

}  // namespace

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
