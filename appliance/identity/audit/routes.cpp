#include "appliance/identity/audit/routes.h"

#include "appliance/identity/audit/handlers.h"
#include "web/endpoint.h"

namespace audit {

namespace {

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/audit", guard, nullptr,
       web::query<ListQuery>(on(list_entries))
           .returns<EntryPage>()
           .describe("Newest first; `next` is the `before` of the following page. With `after` (0: from the "
                     "beginning) oldest first, and `next` is the `after` of the following page. With format=jsonl "
                     "one entry per line, at most 10,000; continue after the id of the last line."),
       "Security audit log"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.admin_session, on);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.internal_key, on);
}

}  // namespace audit
