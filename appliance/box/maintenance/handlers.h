#pragma once

#include "appliance/box/maintenance/routes.h"
#include "web/fields.h"

namespace maintenance {

struct BackupRequest {
  web::Text<1, 4096> to;
  std::optional<web::Text<64, 64>> keyFingerprint;
};
BOOST_DESCRIBE_STRUCT(BackupRequest, (), (to, keyFingerprint))

struct BackupMade {
  bool success = true;
  std::string to;
};
BOOST_DESCRIBE_STRUCT(BackupMade, (), (success, to))

web::Task<web::Result<web::Response>> back_up(const Services&, const web::Request&, BackupRequest);

}  // namespace maintenance
