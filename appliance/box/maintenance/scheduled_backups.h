// Backups that the box makes by itself (BACKUP_SCHEDULE). The newest BACKUP_KEEP of all in the data folder are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "appliance/box/maintenance/backups.h"
#include "appliance/box/maintenance/restore_drill.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/platform.h"
#include "appliance/hosting/schedule/timetable.h"
#include "appliance/identity/audit/audit.h"

namespace maintenance {

class ScheduledBackups {
 public:
  // Throws agentbox::UsageError for a schedule that is not a cron expression. All must outlive this.
  ScheduledBackups(const agentbox::Platform&, Backups&, RestoreDrill&, audit::Audit&);

  // Looks for what is due, until stop(). Each backup is restored on trial at once. A backup that was due while the box
  // was off is made at once, and counts for all that were missed; one that a crash cut off is removed. Does nothing
  // without a schedule.
  void start();
  // Returns once the backup in progress is complete and was tried out.
  web::Task<> stop();

 private:
  web::Task<> look();
  web::Task<> catch_up();
  web::Task<> make();
  web::Task<> remove_old();
  web::Task<std::vector<MadeBackup>> list() const;

  const agentbox::Platform& platform_;
  Backups& backups_;
  RestoreDrill& drill_;
  audit::Audit& audit_;
  schedule::TimeZones zones_;
  std::optional<schedule::Timetable> timetable_;
  bool has_caught_up_ = false;
  std::optional<store::Time> due_;
  std::atomic<std::int64_t> last_success_{0};  // seconds since the epoch
  agentbox::Periodic work_;
};

}  // namespace maintenance
