#include "appliance/identity/audit/handlers.h"

#include "web/reply.h"

namespace audit {

namespace {

constexpr std::size_t default_page = 100, default_lines = 10'000;

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

}  // namespace

web::Answer list_entries(const Services& services, const web::Request&, ListQuery query) {
  const bool as_lines = query.format && *query.format == "jsonl";
  if (query.format && !as_lines && *query.format != "json") co_return web::invalid("format must be json or jsonl");
  if (query.before && query.after) co_return web::invalid("before and after are two ways to read: give one");
  const auto default_limit = as_lines ? default_lines : default_page;
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_limit;
  const auto before = query.before ? std::optional(query.before->value) : std::nullopt;
  const auto after = query.after ? std::optional(query.after->value) : std::nullopt;
  auto read = [&audit = services.audit, before, after, limit] {
    return after ? audit.list(*after, limit) : audit.newest(before, limit);
  };
  const auto found = co_await web::offload(services.blocking, std::move(read));
  if (as_lines) co_return as_json_lines(found);
  EntryPage page;
  for (const Entry& entry : found) page.entries.push_back(view(entry));
  if (found.size() == limit) page.next = found.back().id;
  co_return web::reply(page, 200);
}

}  // namespace audit
