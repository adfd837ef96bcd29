#include "appliance/box/maintenance/handlers.h"

#include <unistd.h>

#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/foundation/redaction.h"
#include "appliance/media/sending/send_file.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace maintenance {

namespace {

BackupView view(const MadeBackup& made) {
  return {made.name, made.made_at, static_cast<std::int64_t>(made.bytes), made.is_complete};
}

RestoreProofView view(const RestoreProof& proof, std::chrono::milliseconds limit) {
  RestoreProofView shown{.lastProvenRestore = proof.proven_at,
                         .backup = proof.backup,
                         .records = proof.records,
                         .compared = proof.compared,
                         .tookSeconds = proof.took_seconds,
                         .failedAt = proof.failed_at,
                         .problem = {},
                         .old = store::now() - proof.proven_at.value_or(proof.watched_since) >= limit};
  if (!proof.problem.empty()) shown.problem = agentbox::redact_paths(proof.problem);
  return shown;
}

// Whether the folder has a file of this name, and `to` can be written in it.
bool is_reached(const std::filesystem::path& to, const std::string& name) {
  std::error_code unknown;
  const auto folder = to.parent_path();
  return name.find('/') == std::string::npos && std::filesystem::is_regular_file(folder / name, unknown) &&
         ::access((std::filesystem::exists(to, unknown) ? to : folder).c_str(), W_OK | X_OK) == 0;
}

web::Task<> note(const Services& services, const web::Request& request, const char* act, std::string subject,
                 std::optional<web::Error> error) {
  auto entry = audit::of_request(request, act, std::move(subject));
  if (error) entry.outcome = error->message;
  co_await services.audit.note(std::move(entry));
}

web::Answer back_up(const Services& services, const web::Request& request, BackupRequest asked) {
  const std::filesystem::path to(std::string(asked.to));
  if (asked.proof && !is_reached(to, *asked.proof)) {
    auto refused = web::conflict("The box does not see the folder above " + to.string() +
                                 " as the caller does, or may not write in it");
    refused.code = folder_not_reached;
    co_return refused;
  }
  const auto allowed = services.backups.check(to, asked.keyFingerprint);
  if (!allowed) co_return allowed.error();
  const auto made = co_await services.backups.make(to);
  if (!made) co_return made.error();
  const auto& failure = *made;
  auto entry = audit::of_request(request, "backup made by admin", to.string());
  if (failure) entry.outcome = *failure;
  co_await services.audit.note(std::move(entry));
  if (failure) co_return web::internal("The backup failed: " + *failure);
  co_return web::reply(BackupMade{.to = to.string()});
}

web::Answer list_backups(const Services& services, const web::Request&) {
  auto& backups = services.backups;
  const auto made = co_await web::offload(services.blocking, [&backups] { return backups.list(); });
  BackupList answer;
  for (const auto& one : made) answer.backups.push_back(view(one));
  answer.count = static_cast<std::int64_t>(answer.backups.size());
  if (const auto proof = services.last_proof()) answer.restoreDrill = view(*proof, services.proof_age);
  co_return web::reply(answer);
}

web::Answer make_backup(const Services& services, const web::Request& request) {
  const auto made = co_await services.backups.make_whole();
  std::string name = made ? made->name : std::string();
  auto error = made ? std::nullopt : std::optional(made.error());
  co_await note(services, request, "backup made by admin", std::move(name), std::move(error));
  if (!made) co_return made.error();
  co_return web::reply(view(*made), 201);
}

web::Answer verify_backup(const Services& services, const web::Request& request) {
  VerifiedBackup answer{.name = request.param("name"), .findings = {}};
  const auto verified = co_await services.backups.verify(answer.name);
  if (!verified) co_return verified.error();
  for (const auto& finding : verified->findings) answer.findings.push_back({finding.where, finding.what});
  answer.ok = answer.findings.empty();
  co_return web::reply(answer);
}

web::Answer pack_backup(const Services& services, const web::Request& request) {
  const auto& name = request.param("name");
  const auto packed = co_await services.backups.pack(name);
  auto error = packed ? std::nullopt : std::optional(packed.error());
  std::string subject = name;
  co_await note(services, request, "backup packed by admin", std::move(subject), std::move(error));
  if (!packed) co_return packed.error();
  const BackupPackView answer{.name = name,
                              .address = "/api/admin/backup-packs/" + packed->ticket,
                              .bytes = static_cast<std::int64_t>(packed->bytes)};
  co_return web::reply(answer, 201);
}

web::Answer send_pack(const Services& services, const web::Request& request) {
  const auto file = services.backups.packed(request.param("pack"));
  if (!file) co_return file.error();
  sending::MediaFile wanted{.folder = file->parent_path(),
                            .name = file->filename().string(),
                            .content_type = "application/zstd",
                            .cache_control = "no-store"};
  auto response = co_await sending::send_file(services.blocking, std::move(wanted), request);
  if (!response) co_return response.error();
  response->set("Content-Disposition", "attachment; filename=\"backup.agentbox\"");
  std::error_code ignored;
  if (request.method == web::GET) std::filesystem::remove(*file, ignored);  // the response has it open
  co_return response;
}

web::Answer remove_backup(const Services& services, const web::Request& request) {
  const auto removed = co_await services.backups.remove(request.param("name"));
  std::string name = request.param("name");
  auto error = removed ? std::nullopt : std::optional(removed.error());
  co_await note(services, request, "backup removed by admin", std::move(name), std::move(error));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer);
}

constexpr const char* whole_text =
    "As `agentbox backup` makes it, in the folder `backups` of the data folder: store, workspaces, skills and the "
    "sealed "
    "settings. 409 while another backup is in progress.";
constexpr const char* pack_text =
    "As one file, an archive that `agentbox unpack` opens with the box's master key, which is not in it. `address` has "
    "the file, once: it is removed as soon as it is fetched, when another one is packed, and when the box starts. 503 "
    "without room for it on the disk of the data folder.";
constexpr const char* list_text =
    "Those in the data folder, the latest first. `restoreDrill` is absent before the first scheduled backup: each of "
    "those "
    "is restored into a scratch folder, verified and compared with the box. `compared` counts the records whose bytes "
    "were compared; `problem` says why the last drill failed; `old` is true if the last success is older than "
    "RESTORE_PROOF_AGE.";
constexpr const char* verify_text =
    "Restores the backup into a folder of its own and checks every file, record and index. `findings` is empty if it "
    "is sound.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.backup;
  return {
      {web::POST, "/api/admin/backup", key, nullptr,
       web::body<BackupRequest>(on(back_up))
           .returns<BackupMade>()
           .describe(
               "`to` is an absolute path on the box, outside of the data folder: of nothing yet, an empty folder, "
               "or one that holds a backup. Only the box can look into it then. Online; incremental if it holds "
               "a backup. With `keyFingerprint`, 409 unless the store is sealed under the master key of that "
               "fingerprint; 409 also while another backup is in progress. With `proof`, the name of a file that the "
               "caller has put into the folder above `to`, 409 with the code `FOLDER_NOT_REACHED` unless the box "
               "sees it and may write there: a confined service may have another view of the file system. 503 without "
               "room on the disk of the data folder."),
       "Back up the store"},
      {web::GET, "/api/admin/backups", key, nullptr,
       web::plain(on(list_backups)).returns<BackupList>().describe(list_text), "List the backups"},
      {web::POST, "/api/admin/backups", key, nullptr,
       web::plain(on(make_backup)).returns<BackupView>(201).describe(whole_text).fails({web::Kind::conflict}),
       "Back up the box into its data folder"},
      {web::POST, "/api/admin/backups/:name/verify", key, nullptr,
       web::plain(on(verify_backup)).returns<VerifiedBackup>().describe(verify_text).fails({web::Kind::conflict}),
       "Verify a backup"},
      {web::POST, "/api/admin/backups/:name/pack", key, nullptr,
       web::plain(on(pack_backup)).returns<BackupPackView>(201).describe(pack_text).fails({web::Kind::conflict}),
       "Pack a backup into one file"},
      {web::GET, "/api/admin/backup-packs/:pack", key, nullptr,
       web::plain(on(send_pack)).describe(pack_text).fails({web::Kind::not_found}), "Fetch a packed backup"},
      {web::DELETE, "/api/admin/backups/:name", key, nullptr,
       web::plain(on(remove_backup)).returns<web::Succeeded>().fails({web::Kind::conflict}), "Remove a backup"},
  };
}

}  // namespace maintenance
