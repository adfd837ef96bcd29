#include "appliance/box/maintenance/restore_drill.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "appliance/box/admin_mail.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "web/log.h"

namespace maintenance {

namespace {

constexpr std::size_t samples = 1'000;
constexpr std::size_t max_findings = 5;  // findings in one sentence

std::string date_of(store::Time at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

}  // namespace

std::string sentence(const std::vector<store::Store::Finding>& findings) {
  std::string text;
  for (std::size_t at = 0; at < std::min(findings.size(), max_findings); ++at)
    text += (text.empty() ? "" : " ") + findings[at].where + ": " + findings[at].what;
  if (findings.size() > max_findings) text += " And " + std::to_string(findings.size() - max_findings) + " more.";
  return text;
}

std::int64_t records_in(const store::Census& census) {
  std::int64_t records = 0;
  for (const auto count : census.counts) records += static_cast<std::int64_t>(count);
  return records;
}

std::optional<RestoreProof> last_restore_proof(const store::System& system, const std::string& source) {
  auto row = system.get(restore_proofs, source);
  return row ? std::optional(std::move(row->value)) : std::nullopt;
}

std::optional<store::Time> last_proven_restore(const store::System& system) {
  std::optional<store::Time> newest;
  for (const auto* source : {from_backups, from_bucket}) {
    const auto proof = last_restore_proof(system, source);
    if (proof && proof->proven_at) newest = std::max(newest.value_or(*proof->proven_at), *proof->proven_at);
  }
  return newest;
}

std::vector<store::Store::Finding> check_restored(const agentbox::Platform& platform,
                                                  const std::filesystem::path& folder, const store::Census* census) {
  auto settings = platform.settings;
  settings.data = folder;
  settings.store_url.clear();
  settings.master_key = crypto::hex(platform.master_key);
  const auto restored = agentbox::open_store(settings, agentbox::Access::read_only);
  auto findings = restored->verify();
  if (census)
    for (auto& finding : restored->compare(*census)) findings.push_back(std::move(finding));
  return findings;
}

// But is not starved by a busy machine: the next backup waits for it.
void yield_to_others() {
  constexpr int of_this_thread = 1, last_of_class = 2 << 13 | 7;  // IOPRIO_WHO_PROCESS, IOPRIO_CLASS_BE
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
  ::syscall(SYS_ioprio_set, of_this_thread, 0, last_of_class);
}

RestoreDrill::RestoreDrill(const agentbox::Platform& platform, store::Store& store, Backups& backups,
                           const accounts::Accounts& accounts, mail::Outbox& outbox, audit::Audit& audit)
    : platform_(platform), store_(store), backups_(backups), accounts_(accounts), outbox_(outbox), audit_(audit) {}

RestoreProof RestoreDrill::current(const std::string& source) const {
  if (auto known = last_restore_proof(platform_.system, source)) return std::move(*known);
  RestoreProof none;
  none.source = source;
  none.watched_since = store::now();
  return none;
}

web::Task<> RestoreDrill::keep(RestoreProof proof) {
  auto row = platform_.system.get(restore_proofs, proof.source);
  auto change = platform_.system.change();
  if (row) {
    row->value = std::move(proof);
    change.update(restore_proofs, *row);
  } else {
    change.insert(restore_proofs, proof);
  }
  co_await change.commit();
}

web::Task<store::Census> RestoreDrill::observe() {
  auto count = [this] { return store_.census(samples); };
  co_return co_await web::offload(platform_.backups, std::move(count));
}

web::Task<> RestoreDrill::prove(MadeBackup backup, store::Census census) {
  store_.refresh(census);
  const auto begun = std::chrono::steady_clock::now();
  Drilled drilled{.source = from_backups,
                  .name = backup.name,
                  .records = records_in(census),
                  .compared = static_cast<std::int64_t>(census.samples.size()),
                  .problem = {}};
  const auto verified = co_await backups_.drill(backup.name, std::move(census));
  drilled.took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  if (!verified)
    drilled.problem = verified.error().message;
  else
    drilled.problem = sentence(verified->findings);
  co_await note(std::move(drilled));
}

web::Task<> RestoreDrill::note(Drilled drilled) {
  const auto& [source, name, records, compared, took, problem] = drilled;
  auto proof = current(source);
  if (problem.empty()) {
    proof.proven_at = store::now();
    proof.backup = name;
    proof.records = records;
    proof.compared = compared;
    proof.took_seconds = took.count();
    proof.failed_at.reset();
    proof.warned_at.reset();
    web::log::info("restore_proven",
                   {{"source", source}, {"name", name}, {"records", records}, {"compared", compared}});
  } else {
    proof.failed_at = store::now();
    web::log::error("restore_failed", {{"source", source}, {"name", name}, {"reason", problem}});
  }
  proof.problem = problem;
  co_await keep(std::move(proof));
  audit::Entry entry{.act = "restore drill"};
  entry.outcome = problem.empty() ? "ok" : problem;
  entry.subject = name;
  co_await audit_.note(std::move(entry));
  if (problem.empty()) co_return;
  const bool is_backup = source == from_backups;
  std::string text = (is_backup ? "The box has restored its backup " + name +
                                      " into a scratch folder, as it does after each scheduled backup, and found:\n\n"
                                : "The box has restored what the bucket " + name +
                                      " has into a scratch folder, as it does after each whole copy, and found:\n\n") +
                     problem + "\n\nThe box itself goes on working. " +
                     (is_backup ? "Keep the earlier backups, and see what agentbox verify says.\n"
                                : "See its log, and what agentbox verify says.\n");
  std::string subject = is_backup ? "A backup could not be restored" : "The bucket could not be restored";
  co_await mail_admins(platform_, accounts_, outbox_, std::move(subject), std::move(text));
}

web::Task<> RestoreDrill::warn_if_old(std::string source) {
  const auto known = last_restore_proof(platform_.system, source);
  if (!known) co_return co_await keep(current(source));
  const auto now = store::now();
  const auto limit = platform_.settings.restore_proof_age;
  const auto since = known->proven_at.value_or(known->watched_since);
  if (now - since < limit || (known->warned_at && now - *known->warned_at < limit)) co_return;
  auto proof = *known;
  proof.warned_at = now;
  co_await keep(std::move(proof));
  web::log::warning("restore_proof_old", {{"source", source}, {"since", date_of(since)}});
  if (source == from_bucket) {
    std::string text =
        "What the bucket of STANDBY_S3_ENDPOINT has was not restored successfully since " + date_of(since) + ".\n";
    if (!known->problem.empty()) text += "\nThe last attempt found: " + known->problem + "\n";
    text += "\nThe box restores it into a scratch folder after each whole copy. See its log.\n";
    co_return co_await mail_admins(platform_, accounts_, outbox_, "The bucket has not been restored for a while",
                                   std::move(text));
  }
  std::string text = known->proven_at ? "The last backup that was restored successfully is " + known->backup + ", of " +
                                            date_of(since) + ".\n"
                                      : "No backup has been restored successfully since " + date_of(since) + ".\n";
  if (!known->problem.empty()) text += "\nThe last attempt found: " + known->problem + "\n";
  text += "\nThe box restores each scheduled backup into a scratch folder. See its log, and agentbox doctor.\n";
  co_await mail_admins(platform_, accounts_, outbox_, "No backup has been restored for a while", std::move(text));
}

}  // namespace maintenance
