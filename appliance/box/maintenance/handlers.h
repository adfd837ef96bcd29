#pragma once

#include "appliance/box/maintenance/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace maintenance {

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

struct BackupList {
  std::vector<BackupView> backups;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(BackupList, (), (backups, count))

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

web::Answer back_up(const Services&, const web::Request&, BackupRequest);
web::Answer list_backups(const Services&, const web::Request&);
web::Answer make_backup(const Services&, const web::Request&);
web::Answer verify_backup(const Services&, const web::Request&);
web::Answer remove_backup(const Services&, const web::Request&);

}  // namespace maintenance
