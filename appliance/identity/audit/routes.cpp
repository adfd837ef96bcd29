#include "appliance/identity/audit/routes.h"

#include "appliance/identity/audit/handlers.h"
#include "web/routes/endpoint.h"

namespace audit {

namespace {

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
