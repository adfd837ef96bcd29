#include "appliance/box/maintenance/scheduled_backups.h"

#include <algorithm>
#include <ctime>

#include "appliance/box/maintenance/backup_folder.h"
#include "web/log.h"
#include "web/metrics.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view unfinished_prefix = "unfinished-";
constexpr const char* name_form = "%Y%m%dT%H%M%SZ";
constexpr const char* gauge_name = "agentbox_backup_last_success_timestamp_seconds";

std::string name_of(store::Time at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, name_form, &parts)};
}

// Nothing for a name of another form.
std::optional<store::Time> time_of(const std::string& name) {
  std::tm parts{};
  const char* end = strptime(name.c_str(), name_form, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::chrono::time_point_cast<store::Time::duration>(std::chrono::system_clock::from_time_t(timegm(&parts)));
}

// Complete backups, the oldest first.
std::vector<store::Time> times_in(const fs::path& folder) {
  std::vector<store::Time> times;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent))
    if (const auto time = time_of(entry.path().filename().string())) times.push_back(*time);
  std::ranges::sort(times);
  return times;
}

}  // namespace

ScheduledBackups::ScheduledBackups(const agentbox::Platform& platform, Backups& backups, audit::Audit& audit)
    : platform_(platform),
      backups_(backups),
      audit_(audit),
      folder_(platform.folder.path() / "backups"),
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
  agentbox::DataFolder(folder_).prepare("folder of the backups", "BACKUP_SCHEDULE");
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().starts_with(unfinished_prefix)) fs::remove_all(entry.path());
  const auto known = times_in(folder_);
  due_ = timetable_->next(known.empty() ? store::now() : known.back());
  if (!known.empty()) last_success_ = std::chrono::system_clock::to_time_t(known.back());
  web::metrics().gauge(gauge_name, "When the newest scheduled backup was made, since the epoch; 0: never",
                       [this] { return static_cast<double>(last_success_.load()); });
  work_.start();
}

web::Task<> ScheduledBackups::stop() {
  if (!timetable_) co_return;
  co_await work_.stop();
  web::metrics().remove(gauge_name);
}

web::Task<> ScheduledBackups::look() {
  const auto now = store::now();
  if (!due_ || now < *due_) co_return;
  co_await make(now);
  due_ = timetable_->next(store::now());
}

web::Task<> ScheduledBackups::make(store::Time at) {
  const auto begun = std::chrono::steady_clock::now();
  const fs::path unfinished = folder_ / (std::string(unfinished_prefix) + name_of(at)),
                 complete = folder_ / name_of(at);
  const auto failure = co_await fill(unfinished);
  audit::Entry entry{.act = "backup made by schedule", .outcome = failure.value_or("ok"), .subject = complete.string()};
  co_await audit_.note(std::move(entry));
  if (failure) {
    web::log::error("backup_failed", {{"reason", *failure}});
    auto discard = [unfinished] {
      std::error_code ignored;
      fs::remove_all(unfinished, ignored);
    };
    co_await web::offload(platform_.backups, std::move(discard));
    co_return;
  }
  auto publish = [this, unfinished, complete] {
    fs::rename(unfinished, complete);
    remove_old();
  };
  co_await web::offload(platform_.backups, std::move(publish));
  last_success_ = std::chrono::system_clock::to_time_t(at);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  web::log::info("backup_made", {{"to", complete.string()}, {"milliseconds", static_cast<std::int64_t>(took.count())}});
}

// Returns why it failed, or nothing.
web::Task<std::optional<std::string>> ScheduledBackups::fill(const fs::path& unfinished) {
  const agentbox::DataFolder copy(unfinished);
  std::error_code failed;
  fs::create_directory(unfinished, failed);
  if (failed) co_return unfinished.string() + ": " + failed.message();
  auto made = co_await backups_.make(copy.store());
  if (!made) co_return made.error().message;
  if (*made) co_return *made;
  auto rest = [this, copy]() -> std::optional<std::string> {
    try {
      copy_all_but_store(platform_.folder, copy, platform_.master_key);
      return std::nullopt;
    } catch (const std::exception& error) {
      return error.what();
    }
  };
  co_return co_await web::offload(platform_.backups, std::move(rest));
}

void ScheduledBackups::remove_old() const {
  const auto known = times_in(folder_);
  for (std::size_t at = 0; at + platform_.settings.backup_keep < known.size(); ++at)
    fs::remove_all(folder_ / name_of(known[at]));
}

}  // namespace maintenance
