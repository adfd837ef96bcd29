#include "appliance/box/maintenance/restore_drill.h"

#include <array>
#include <chrono>
#include <ctime>

#include "appliance/box/admin_mail.h"
#include "web/log.h"

namespace maintenance {

namespace {

constexpr std::size_t samples = 1'000;
constexpr std::size_t max_findings = 5;  // findings in one sentence

std::string sentence(const std::vector<store::Store::Finding>& findings) {
  std::string text;
  for (std::size_t at = 0; at < std::min(findings.size(), max_findings); ++at)
    text += (text.empty() ? "" : " ") + findings[at].where + ": " + findings[at].what;
  if (findings.size() > max_findings) text += " And " + std::to_string(findings.size() - max_findings) + " more.";
  return text;
}

std::string date_of(store::Time at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

}  // namespace

std::optional<RestoreProof> last_restore_proof(const store::System& system) {
  auto row = system.get(restore_proofs, RestoreProof().source);
  return row ? std::optional(std::move(row->value)) : std::nullopt;
}

RestoreDrill::RestoreDrill(const agentbox::Platform& platform, store::Store& store, Backups& backups,
                           const accounts::Accounts& accounts, mail::Outbox& outbox, audit::Audit& audit)
    : platform_(platform), store_(store), backups_(backups), accounts_(accounts), outbox_(outbox), audit_(audit) {}

RestoreProof RestoreDrill::current() const {
  if (auto known = last_restore_proof(platform_.system)) return std::move(*known);
  RestoreProof none;
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
  auto proof = current();
  const auto compared = static_cast<std::int64_t>(census.samples.size());
  std::int64_t records = 0;
  for (const auto count : census.counts) records += static_cast<std::int64_t>(count);
  const auto verified = co_await backups_.drill(backup.name, std::move(census));
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  std::string problem;
  if (!verified)
    problem = verified.error().message;
  else
    problem = sentence(verified->findings);
  if (problem.empty()) {
    proof.proven_at = store::now();
    proof.backup = backup.name;
    proof.records = records;
    proof.compared = compared;
    proof.took_seconds = took.count();
    proof.failed_at.reset();
    proof.warned_at.reset();
    web::log::info("restore_proven", {{"name", backup.name}, {"records", records}, {"compared", compared}});
  } else {
    proof.failed_at = store::now();
    web::log::error("restore_failed", {{"name", backup.name}, {"reason", problem}});
  }
  proof.problem = problem;
  co_await keep(std::move(proof));
  audit::Entry entry{.act = "restore drill"};
  entry.outcome = problem.empty() ? "ok" : problem;
  entry.subject = backup.name;
  co_await audit_.note(std::move(entry));
  if (problem.empty()) co_return;
  std::string text =
      "The box has restored its backup " + backup.name +
      " into a scratch folder, as it does after each scheduled backup, and found:\n\n" + problem +
      "\n\nThe box itself goes on working. Keep the earlier backups, and see what agentbox verify says.\n";
  co_await mail_admins(platform_, accounts_, outbox_, "A backup could not be restored", std::move(text));
}

web::Task<> RestoreDrill::warn_if_old() {
  const auto known = last_restore_proof(platform_.system);
  if (!known) co_return co_await keep(current());
  const auto now = store::now();
  const auto limit = platform_.settings.restore_proof_age;
  const auto since = known->proven_at.value_or(known->watched_since);
  if (now - since < limit || (known->warned_at && now - *known->warned_at < limit)) co_return;
  auto proof = *known;
  proof.warned_at = now;
  co_await keep(std::move(proof));
  web::log::warning("restore_proof_old", {{"since", date_of(since)}});
  std::string text = known->proven_at ? "The last backup that was restored successfully is " + known->backup + ", of " +
                                            date_of(since) + ".\n"
                                      : "No backup has been restored successfully since " + date_of(since) + ".\n";
  if (!known->problem.empty()) text += "\nThe last attempt found: " + known->problem + "\n";
  text += "\nThe box restores each scheduled backup into a scratch folder. See its log, and agentbox doctor.\n";
  co_await mail_admins(platform_, accounts_, outbox_, "No backup has been restored for a while", std::move(text));
}

}  // namespace maintenance
