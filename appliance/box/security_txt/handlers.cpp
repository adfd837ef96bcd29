#include "appliance/box/security_txt/handlers.h"

#include "appliance/box/security_txt/security_txt.h"

namespace security_txt {

web::Task<web::Result<web::Response>> show(const Services& services, const web::Request&) {
  auto text = text_of(services.settings, store::now());
  if (!text) co_return web::not_found();
  co_return web::text(std::move(*text)).set("Cache-Control", "public, max-age=86400");
}

}  // namespace security_txt
