// Backups that the box makes by itself (BACKUP_SCHEDULE), into backups/ of the data folder: one folder each, named by
// its time in UTC, 20261125T030000Z. The newest BACKUP_KEEP are kept.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "appliance/box/maintenance/backups.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/platform.h"
#include "appliance/hosting/schedule/timetable.h"
#include "appliance/identity/audit/audit.h"

namespace maintenance {

class ScheduledBackups {
 public:
  // Throws agentbox::UsageError for a schedule that is not a cron expression. All must outlive this.
  ScheduledBackups(const agentbox::Platform&, Backups&, audit::Audit&);

  // Looks for what is due, until stop(). A backup that was due while the box was off is made at once, and counts for
  // all that were missed. Does nothing without a schedule.
  void start();
  // Returns once the backup in progress is complete.
  web::Task<> stop();

 private:
  web::Task<> look();
  web::Task<> make(store::Time at);
  web::Task<std::optional<std::string>> fill(const std::filesystem::path& unfinished);
  void remove_old() const;

  const agentbox::Platform& platform_;
  Backups& backups_;
  audit::Audit& audit_;
  const std::filesystem::path folder_;
  schedule::TimeZones zones_;
  std::optional<schedule::Timetable> timetable_;
  std::optional<store::Time> due_;
  std::atomic<std::int64_t> last_success_{0};  // seconds since the epoch
  agentbox::Periodic work_;
};

}  // namespace maintenance
