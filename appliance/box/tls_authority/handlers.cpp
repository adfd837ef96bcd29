#include "appliance/box/tls_authority/handlers.h"

namespace tls_authority {

web::Answer show(const Services& services, const web::Request&) {
  if (!services.certificate) co_return web::not_found();
  web::Response response;
  response.content_type = "application/x-x509-ca-cert";
  response.set("Content-Disposition", "attachment; filename=\"agentbox-ca.crt\"").set("Cache-Control", "no-cache");
  response.body = *services.certificate;
  co_return response;
}

}  // namespace tls_authority
