#include "appliance/identity/audit/routes.h"

#include <limits>

#include "web/endpoint.h"

namespace audit {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

constexpr std::size_t most_lines = 10'000;

struct ListQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> before, after;
  std::optional<web::Text<1, 10>> format;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, before, after, format))

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

web::Response as_json_lines(const std::vector<Entry>& found) {
  std::string lines;
  for (const Entry& entry : found) {
    web::write_json(lines, view(entry));
    lines += '\n';
  }
  return web::text(std::move(lines), "application/x-ndjson");
}

Answer list(Audit& audit, boost::asio::thread_pool& blocking, ListQuery query) {
  const bool as_lines = query.format && *query.format == "jsonl";
  if (query.format && !as_lines && *query.format != "json") co_return web::invalid("format must be json or jsonl");
  if (query.before && query.after) co_return web::invalid("before and after are two ways to read: give one");
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : as_lines ? most_lines : 100;
  const auto before = query.before ? std::optional(query.before->value) : std::nullopt;
  const auto after = query.after ? std::optional(query.after->value) : std::nullopt;
  auto read = [&audit, before, after, limit] {
    return after ? audit.list(*after, limit) : audit.newest(before, limit);
  };
  const auto found = co_await web::offload(blocking, std::move(read));
  if (as_lines) co_return as_json_lines(found);
  EntryPage page;
  for (const Entry& entry : found) page.entries.push_back(view(entry));
  if (found.size() == limit) page.next = found.back().id;
  co_return web::reply(page, 200);
}

}  // namespace

std::vector<web::Route> routes(Audit& audit, boost::asio::thread_pool& blocking, const web::Guard& guard) {
  const auto listing = [&audit, &blocking](web::Request&, ListQuery query) {
    return list(audit, blocking, std::move(query));
  };
  return {
      {web::GET, "/api/admin/audit", guard, nullptr,
       web::query<ListQuery>(listing).returns<EntryPage>().describe(
           "Newest first; `next` is the `before` of the following page. With `after` (0: from the beginning) oldest "
           "first, and `next` is the following page's `after`. With format=jsonl one entry a line, at most 10,000 "
           "of them; the last line's id leads on."),
       "Acts that security hangs on"}};
}

}  // namespace audit
