#include "appliance/audit/routes.h"

#include <limits>

#include "web/endpoint.h"

namespace audit {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

constexpr std::size_t most_lines = 10'000;

struct ListQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> after;
  std::optional<web::Text<1, 10>> format;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, after, format))

struct EntryView {
  std::int64_t id = 0;
  store::Time at;
  std::string act, outcome;
  std::optional<std::string> userId;
  std::string subject, address;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, at, act, outcome, userId, subject, address))

struct EntryPage {
  std::vector<EntryView> entries;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(EntryPage, (), (entries, next))

EntryView view(const Entry& entry) {
  return {entry.id,
          entry.at,
          entry.act,
          entry.outcome,
          entry.user_id != 0 ? std::optional(std::to_string(entry.user_id)) : std::nullopt,
          entry.subject,
          entry.address};
}

}  // namespace

std::vector<web::Route> admin_routes(Audit& audit, boost::asio::thread_pool& blocking, const agentbox::Guards& guards) {
  const auto list = [&audit, &blocking](web::Request&, ListQuery query) -> Answer {
    const bool as_lines = query.format && *query.format == "jsonl";
    if (query.format && !as_lines && *query.format != "json") co_return web::invalid("format must be json or jsonl");
    const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : as_lines ? most_lines : 100;
    const std::int64_t after = query.after ? query.after->value : 0;
    auto read = [&audit, after, limit] { return audit.list(after, limit); };
    const auto found = co_await web::offload(blocking, std::move(read));
    if (as_lines) {
      std::string lines;
      for (const Entry& entry : found) {
        web::write_json(lines, view(entry));
        lines += '\n';
      }
      co_return web::text(std::move(lines), "application/x-ndjson");
    }
    EntryPage page;
    for (const Entry& entry : found) page.entries.push_back(view(entry));
    if (found.size() == limit) page.next = found.back().id;
    co_return web::reply(page, 200);
  };
  return {{web::GET, "/api/admin/audit", guards.internal_key, nullptr,
           web::query<ListQuery>(list).returns<EntryPage>().describe(
               "Oldest first; `next` is the `after` of the following page. With format=jsonl one entry a line, at most "
               "10,000 of them."),
           "Acts that security hangs on"}};
}

}  // namespace audit
