#include "appliance/box/maintenance/scheduled_backups.h"

#include "web/log.h"
#include "web/metrics.h"

namespace maintenance {

namespace {

using namespace std::chrono_literals;

constexpr const char* gauge_name = "agentbox_backup_last_success_timestamp_seconds";
constexpr const char* proof_gauge_name = "agentbox_backup_last_proven_restore_timestamp_seconds";

std::int64_t seconds_of(store::Time at) { return std::chrono::system_clock::to_time_t(at); }

}  // namespace

ScheduledBackups::ScheduledBackups(const agentbox::Platform& platform, Backups& backups, RestoreDrill& drill,
                                   audit::Audit& audit)
    : platform_(platform),
      backups_(backups),
      drill_(drill),
      audit_(audit),
      work_(platform.home, "scheduled_backups", 500ms, [this] { return look(); }) {
  const auto& cron = platform.settings.backup_schedule;
  if (cron.empty()) return;
  auto timetable = schedule::Timetable::read(zones_, cron, "UTC");
  if (!timetable)
    throw agentbox::UsageError("BACKUP_SCHEDULE is no cron expression, as \"0 3 * * *\" for every night at 3: " +
                               timetable.error().message);
  timetable_ = std::move(*timetable);
}

void ScheduledBackups::start() {
  if (!timetable_) return;
  web::metrics().gauge(gauge_name, "When the newest backup was made, since the epoch; 0: never",
                       [this] { return static_cast<double>(last_success_.load()); });
  web::metrics().gauge(proof_gauge_name,
                       "When a backup was last restored on trial and found equal, since the epoch; 0: never", [this] {
                         const auto proof = last_restore_proof(platform_.system);
                         return proof && proof->proven_at ? static_cast<double>(seconds_of(*proof->proven_at)) : 0.0;
                       });
  work_.start();
}

web::Task<> ScheduledBackups::stop() {
  if (!timetable_) co_return;
  co_await work_.stop();
  web::metrics().remove(gauge_name);
  web::metrics().remove(proof_gauge_name);
}

web::Task<> ScheduledBackups::look() {
  if (!has_caught_up_) co_await catch_up();
  co_await drill_.warn_if_old();
  if (!due_ || store::now() < *due_) co_return;
  co_await make();
  due_ = timetable_->next(store::now());
}

web::Task<> ScheduledBackups::catch_up() {
  std::optional<store::Time> newest;
  const auto known = co_await list();
  for (const auto& backup : known) {
    if (!backup.is_complete) {
      const auto removed = co_await backups_.remove(backup.name);
      if (!removed) web::log::warning("backup_not_removed", {{"reason", removed.error().message}});
    } else if (!newest) {
      newest = backup.made_at;
    }
  }
  if (newest) last_success_ = seconds_of(*newest);
  due_ = timetable_->next(newest.value_or(store::now()));
  has_caught_up_ = true;
}

web::Task<> ScheduledBackups::make() {
  const auto begun = std::chrono::steady_clock::now();
  auto census = co_await drill_.observe();
  const auto made = co_await backups_.make_whole();
  audit::Entry entry{.act = "backup made by schedule"};
  entry.outcome = made ? "ok" : made.error().message;
  entry.subject = made ? made->name : "";
  co_await audit_.note(std::move(entry));
  if (!made) {
    web::log::error("backup_failed", {{"reason", made.error().message}});
    co_return;
  }
  last_success_ = seconds_of(made->made_at);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  web::log::info("backup_made", {{"name", made->name}, {"milliseconds", static_cast<std::int64_t>(took.count())}});
  MadeBackup backup = *made;
  co_await drill_.prove(std::move(backup), std::move(census));
  co_await remove_old();
}

web::Task<> ScheduledBackups::remove_old() {
  const auto known = co_await list();
  std::size_t kept = 0;
  for (const auto& backup : known) {
    if (!backup.is_complete || ++kept <= platform_.settings.backup_keep) continue;
    const auto removed = co_await backups_.remove(backup.name);
    if (!removed) web::log::warning("backup_not_removed", {{"reason", removed.error().message}});
  }
}

web::Task<std::vector<MadeBackup>> ScheduledBackups::list() const {
  auto read = [this] { return backups_.list(); };
  co_return co_await web::offload(platform_.backups, std::move(read));
}

}  // namespace maintenance
