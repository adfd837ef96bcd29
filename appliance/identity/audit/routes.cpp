#include "appliance/identity/audit/routes.h"

#include "appliance/identity/audit/handlers.h"
#include "web/endpoint.h"

namespace audit {

namespace {

std::vector<web::Route> routes(const Services& services, const web::Guard& guard) {
  return {
      {web::GET, "/api/admin/audit", guard, nullptr,
       web::query<ListQuery>(identity::bind(services, list_entries))
           .returns<EntryPage>()
           .describe("Newest first; `next` is the `before` of the following page. With `after` (0: from the "
                     "beginning) oldest first, and `next` is the `after` of the following page. With format=jsonl "
                     "one entry per line, at most 10,000; continue after the id of the last line."),
       "Security audit log"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const Services& services) { return routes(services, services.guards.admin_session); }

std::vector<web::Route> backend_routes(const Services& services) {
  return routes(services, services.guards.internal_key);
}

}  // namespace audit
