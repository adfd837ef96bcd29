#include "appliance/identity/audit/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace audit {

namespace {

constexpr std::size_t default_page = 100, default_lines = 10'000, default_export = 1'000;

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::int64_t milliseconds(store::Time at) { return at.time_since_epoch().count(); }

EntryView view(const Entry& entry) {
  return {entry.id,
          entry.at,
          entry.act,
          entry.outcome,
          entry.user_id != 0 ? std::optional(std::to_string(entry.user_id)) : std::nullopt,
          entry.subject,
          entry.address,
          if_any(entry.by),
          if_any(entry.acting_as)};
}

ExportedEntry exported(const Entry& entry) {
  return {.id = entry.id,
          .at = milliseconds(entry.at),
          .act = entry.act,
          .outcome = entry.outcome,
          .by = entry.by,
          .userId = std::to_string(entry.user_id),
          .subject = entry.subject,
          .address = entry.address,
          .as = entry.acting_as,
          .salt = entry.salt,
          .personal = entry.personal,
          .previous = entry.previous,
          .hash = entry.hash};
}

ExportedHead exported(const Head& head) {
  return {.kind = head.kind,
          .entry = head.entry_id,
          .hash = head.entry_hash,
          .first = head.first,
          .at = milliseconds(head.at),
          .signature = head.signature};
}

web::Response as_json_lines(const std::vector<Entry>& found) {
  std::string lines;
  for (const Entry& entry : found) {
    web::write_json(lines, view(entry));
    lines += '\n';
  }
  return web::text(std::move(lines), "application/x-ndjson");
}

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

web::Answer export_entries(const Services& services, const web::Request&, ExportQuery query) {
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_export;
  const std::int64_t after = query.after ? query.after->value : 0;
  auto read = [&signed_heads = services.heads, after, limit] { return signed_heads.export_part(after, limit); };
  const auto part = co_await web::offload(services.blocking, std::move(read));
  ExportView answer{.publicKey = part.public_key, .next = part.next};
  if (part.start) answer.first = part.start->entry_id;
  if (part.anchor) answer.anchor = exported(*part.anchor);
  for (const Entry& entry : part.entries) answer.entries.push_back(exported(entry));
  for (const Head& head : part.heads) answer.heads.push_back(exported(head));
  co_return web::reply(answer, 200);
}

web::Answer verify_chain(const Services& services, const web::Request&) {
  auto read = [&signed_heads = services.heads] { return signed_heads.verify(); };
  const auto report = co_await web::offload(services.blocking, std::move(read));
  VerificationView answer{.ok = !report.problem,
                          .entries = report.entries,
                          .unprotected = report.unprotected,
                          .erased = report.erased,
                          .notSigned = report.not_signed};
  if (report.last_head) {
    answer.signedEntry = report.last_head->entry_id;
    answer.signedAt = report.last_head->at;
  }
  if (const auto& problem = report.problem) {
    answer.problem = ProblemView{.entry = {}, .what = problem->what};
    if (problem->entry_id != 0) answer.problem->entry = problem->entry_id;
  }
  co_return web::reply(answer, 200);
}

web::Answer erase_personal_data(const Services& services, const web::Request& request, ErasureQuery query) {
  if (!query.userId && !query.subject) co_return web::invalid("userId or subject is required");
  const auto user = query.userId ? accounts::parse_user_id(*query.userId) : store::UserId(0);
  if (!user) co_return web::invalid("userId must be a user's id");
  std::vector<std::string> subjects;
  if (query.subject) subjects.push_back(std::move(*query.subject));
  auto read = [&audit = services.audit, id = *user, subjects] { return audit.concerning(id, subjects); };
  auto found = co_await web::offload(services.blocking, std::move(read));
  const auto count = static_cast<std::int64_t>(co_await services.audit.erase_personal_data(std::move(found)));
  auto entry = audit::of_request(request, "personal data erased by admin", "");
  entry.outcome = "ok, " + std::to_string(count) + (count == 1 ? " entry" : " entries");
  co_await services.audit.note(std::move(entry));
  const Erased answer{.erased = count};
  co_return web::reply(answer, 200);
}

constexpr const char* about_verifying =
    "`problem` names the first entry that was changed, removed or moved. `entries` are in the chain, `unprotected` "
    "ones "
    "are older than it, `erased` ones are without their personal data, and `notSigned` ones came after the last signed "
    "head (`signedEntry`, `signedAt`): removing those shows only until the next head.";
constexpr const char* about_export =
    "Oldest first; `next` is the `after` of the following page. Times are milliseconds since the epoch. `publicKey` "
    "(Ed25519) and hashes are in hex; operations.md has their exact form.";

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/audit", guard, nullptr,
       web::query<ListQuery>(on(list_entries))
           .returns<EntryPage>()
           .describe("Newest first; `next` is the `before` of the following page. With `after` (0: from the "
                     "beginning) oldest first, and `next` is the `after` of the following page. With format=jsonl "
                     "one entry per line, at most 10,000; continue after the id of the last line."),
       "Security audit log"},
      {web::GET, "/api/admin/audit/verify", guard, nullptr,
       web::plain(on(verify_chain)).returns<VerificationView>().describe(about_verifying),
       "Verify the chain of the audit log"},
      {web::GET, "/api/admin/audit/export", guard, nullptr,
       web::query<ExportQuery>(on(export_entries)).returns<ExportView>().describe(about_export),
       "Export the audit log with its hashes and signed heads"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.admin_session, on);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto table = routes(guards.backend.box, on);
  web::append(table, {{web::DELETE, "/api/admin/audit/personal-data", guards.backend.internal, nullptr,
                       web::query<ErasureQuery>(on(erase_personal_data))
                           .returns<Erased>()
                           .describe("Empties user, subject, address and name of the entries about the user `userId` "
                                     "or with the `subject`. The entries stay in the chain."),
                       "Erase a person's data from the audit log"}});
  return table;
}

}  // namespace audit
