#include "appliance/box/maintenance/routes.h"

#include "appliance/box/maintenance/handlers.h"
#include "web/routes/endpoint.h"

namespace maintenance {

namespace {

constexpr const char* whole_text =
    "As `agentbox backup` makes it, in the folder `backups` of the data folder: store, workspaces, skills and the "
    "sealed "
    "settings. 409 while another backup is in progress.";
constexpr const char* verify_text =
    "Restores the backup into a folder of its own and checks every file, record and index. `findings` is empty if it "
    "is sound.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.backup;
  return {
      {web::POST, "/api/admin/backup", key, nullptr,
       web::body<BackupRequest>(on(back_up))
           .returns<BackupMade>()
           .describe(
               "`to` is an absolute path on the box, outside of the data folder. Online; incremental if it holds "
               "a backup. With `keyFingerprint`, 409 unless the store is sealed under the master key of that "
               "fingerprint; 409 also while another backup is in progress. With `proof`, the name of a file that the "
               "caller has put into the folder above `to`, 409 with the code `FOLDER_NOT_REACHED` unless the box "
               "sees it and may write there: a confined service may have another view of the file system. 503 without "
               "room on the disk of the data folder."),
       "Back up the store"},
      {web::GET, "/api/admin/backups", key, nullptr,
       web::plain(on(list_backups)).returns<BackupList>().describe("Those in the data folder, the latest first."),
       "List the backups"},
      {web::POST, "/api/admin/backups", key, nullptr,
       web::plain(on(make_backup)).returns<BackupView>(201).describe(whole_text).fails({web::Kind::conflict}),
       "Back up the box into its data folder"},
      {web::POST, "/api/admin/backups/:name/verify", key, nullptr,
       web::plain(on(verify_backup)).returns<VerifiedBackup>().describe(verify_text).fails({web::Kind::conflict}),
       "Verify a backup"},
      {web::DELETE, "/api/admin/backups/:name", key, nullptr,
       web::plain(on(remove_backup)).returns<web::Succeeded>().fails({web::Kind::conflict}), "Remove a backup"},
  };
}

}  // namespace maintenance
