#include "appliance/box/egress/routes.h"

#include "appliance/box/egress/handlers.h"
#include "web/routes/endpoint.h"

namespace egress {

namespace {

constexpr const char* text =
    "Connections of the box to the outside in the last 30 days, added up by hour, by what asked for them (part of the "
    "box, user, agent) and by destination. `calls` were admitted by `setting` (EGRESS, or the entry of EGRESS_ALLOW); "
    "`refused` were not made. Loopback addresses are inside the box and are not listed. An hour has at most 1,000 "
    "lines; "
    "further destinations are added up under the host * and port 0. Bytes are those of heads and bodies; for git they "
    "are "
    "those of the connection. `host` selects by a part of the name; `next` is the `before` of the following page.";

web::Route list_row(const char* path, const web::Guard& guard, const web::Bind<Services>& on) {
  return {web::GET,
          path,
          guard,
          nullptr,
          web::query<ListQuery>(on(list_lines)).returns<LineList>().describe(text),
          "What left the box: who asked, where to, how much"};
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {list_row("/api/egress", guards.admin_session, on)};
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {list_row("/api/admin/egress", guards.backend.box, on)};
}

}  // namespace egress
