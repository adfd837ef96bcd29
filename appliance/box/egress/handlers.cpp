#include "appliance/box/egress/handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"
#include "web/task.h"

namespace egress {

namespace {

constexpr std::size_t default_page = 200;

std::optional<std::string> text_of(const auto& given) {
  return given ? std::optional<std::string>(std::string(*given)) : std::nullopt;
}

LineView view(const HourLine& line) {
  return {.id = line.id,
          .hour = line.hour,
          .part = line.part,
          .userId = line.user_id != 0 ? std::optional(std::to_string(line.user_id)) : std::nullopt,
          .agentId = line.agent_id.empty() ? std::nullopt : std::optional(line.agent_id),
          .host = line.host,
          .port = line.port,
          .setting = line.setting,
          .calls = line.calls,
          .refused = line.refused,
          .bytesOut = line.bytes_out,
          .bytesIn = line.bytes_in};
}

web::Answer list_lines(const Services& services, const web::Request&, ListQuery query) {
  const Filter filter{.part = text_of(query.part),
                      .host = text_of(query.host),
                      .agent = text_of(query.agentId),
                      .user = query.userId ? std::optional(query.userId->value) : std::nullopt,
                      .is_refused = query.refused.value_or(false)};
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_page;
  const std::string before = query.before ? std::string(*query.before) : std::string();
  co_await services.ledger.keep(store::now());
  auto read = [&ledger = services.ledger, filter, before, limit] { return ledger.list(filter, before, limit); };
  const auto found = co_await web::offload(services.blocking, std::move(read));
  LineList answer;
  for (const auto& line : found) answer.lines.push_back(view(line));
  if (found.size() == limit) answer.next = found.back().id;
  const auto policy = services.ledger.policy();
  answer.policy = {.egress = policy.denies ? "deny" : "allow", .allow = policy.allow};
  co_return web::reply(answer, 200);
}

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
