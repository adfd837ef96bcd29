#include "appliance/box/maintenance/routes.h"

#include "appliance/box/maintenance/handlers.h"
#include "web/endpoint.h"

namespace maintenance {

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/admin/backup", guards.backend.backup, nullptr,
       web::body<BackupRequest>(on(back_up))
           .returns<BackupMade>()
           .describe("`to` is an absolute path on the box. Online; incremental if it holds a backup. With "
                     "`keyFingerprint`, 409 unless the store is sealed under the master key of that fingerprint; 409 "
                     "also while another backup is in progress."),
       "Back up the store"},
  };
}

}  // namespace maintenance
