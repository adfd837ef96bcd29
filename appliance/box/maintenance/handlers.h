#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/maintenance/backups.h"
#include "appliance/box/maintenance/restore_drill.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace maintenance {

// All outlive the rows.
struct Services {
  Backups& backups;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;  // for reads of folders
  std::function<std::optional<RestoreProof>()> last_proof;
  std::chrono::milliseconds proof_age;  // from then on it is old
};

struct BackupRequest {
  web::Text<1, 4096> to;
  std::optional<web::Text<64, 64>> keyFingerprint;
  std::optional<web::Text<1, 255>> proof;
};
BOOST_DESCRIBE_STRUCT(BackupRequest, (), (to, keyFingerprint, proof))

struct BackupMade {
  bool success = true;
  std::string to;
};
BOOST_DESCRIBE_STRUCT(BackupMade, (), (success, to))

struct BackupView {
  std::string name;
  store::Time madeAt;
  std::int64_t bytes = 0;
  bool complete = false;
};
BOOST_DESCRIBE_STRUCT(BackupView, (), (name, madeAt, bytes, complete))

// Of the drills after scheduled backups.
struct RestoreProofView {
  std::optional<store::Time> lastProvenRestore;
  std::string backup;
  std::int64_t records = 0, compared = 0, tookSeconds = 0;
  std::optional<store::Time> failedAt;
  std::optional<std::string> problem;
  bool old = false;
};
BOOST_DESCRIBE_STRUCT(RestoreProofView, (),
                      (lastProvenRestore, backup, records, compared, tookSeconds, failedAt, problem, old))

struct BackupList {
  std::vector<BackupView> backups;
  std::int64_t count = 0;
  std::optional<RestoreProofView> restoreDrill;
};
BOOST_DESCRIBE_STRUCT(BackupList, (), (backups, count, restoreDrill))

struct BackupPackView {
  std::string name, address;
  std::int64_t bytes = 0;
};
BOOST_DESCRIBE_STRUCT(BackupPackView, (), (name, address, bytes))

struct FindingView {
  std::string where, what;
};
BOOST_DESCRIBE_STRUCT(FindingView, (), (where, what))

struct VerifiedBackup {
  std::string name;
  bool ok = true;
  std::vector<FindingView> findings;
};
BOOST_DESCRIBE_STRUCT(VerifiedBackup, (), (name, ok, findings))

// POST /api/admin/backup, which `agentbox backup` calls while the box runs; and /api/admin/backups: those in the data
// folder.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace maintenance
