#include "appliance/identity/mail/routes.h"

#include "appliance/identity/mail/handlers.h"
#include "web/endpoint.h"

namespace mail {

std::vector<web::Route> backend_routes(const Services& services) {
  return {
      {web::GET, "/api/admin/outbox", services.guards.internal_key, nullptr,
       web::query<ListQuery>(identity::bind(services, list_mails)).returns<MailList>(),
       "Mails of the last seven days, newest first"},
  };
}

}  // namespace mail
