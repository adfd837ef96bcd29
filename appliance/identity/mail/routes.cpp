#include "appliance/identity/mail/routes.h"

#include "appliance/identity/mail/handlers.h"
#include "web/routes/endpoint.h"

namespace mail {

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/outbox", guards.backend.users_secrets, nullptr,
       web::query<ListQuery>(on(list_mails)).returns<MailList>(), "Mails of the last seven days, newest first"},
  };
}

}  // namespace mail
