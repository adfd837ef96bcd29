// Proves that backups can be restored: each scheduled one is restored into a scratch folder, opened, verified, and
// compared with the box. Administrators get a mail when that fails, and when the last success is too long ago.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "appliance/box/maintenance/backups.h"
#include "appliance/foundation/platform.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/mail/outbox.h"
#include "store/store.h"
#include "store/table.h"

namespace maintenance {

// What is restored on trial.
inline constexpr auto from_backups = "backups", from_bucket = "bucket";

struct RestoreProof {
  std::string source = from_backups;  // the key
  store::Time watched_since{};        // when the first drill was due
  std::optional<store::Time> proven_at;
  std::string backup;         // the one that was restored then
  std::int64_t records = 0;   // how many it had, with index entries and counters
  std::int64_t compared = 0;  // records whose bytes were compared
  std::int64_t took_seconds = 0;
  std::optional<store::Time> failed_at;  // of the last drill, if it failed
  std::string problem;
  std::optional<store::Time> warned_at;  // of an old proof, by mail
};
BOOST_DESCRIBE_STRUCT(RestoreProof, (),
                      (source, watched_since, proven_at, backup, records, compared, took_seconds, failed_at, problem,
                       warned_at))

inline const store::Global<RestoreProof> restore_proofs{
    {.family = "restore_proofs", .number = 235}, &RestoreProof::source, {}};

// The record; nothing before the first drill.
std::optional<RestoreProof> last_restore_proof(const store::System&, const std::string& source = from_backups);
// The newest success of all sources.
std::optional<store::Time> last_proven_restore(const store::System&);

// Opens a restored data folder and checks every file, record and index; with a census, also that it has those records.
// Blocks. Throws.
std::vector<store::Store::Finding> check_restored(const agentbox::Platform&, const std::filesystem::path& folder,
                                                  const store::Census*);
// A drill runs on such a thread.
void yield_to_others();

std::int64_t records_in(const store::Census&);
std::string sentence(const std::vector<store::Store::Finding>&);

// Used on `home` alone; the arguments must outlive it.
class RestoreDrill {
 public:
  RestoreDrill(const agentbox::Platform&, store::Store&, Backups&, const accounts::Accounts&, mail::Outbox&,
               audit::Audit&);

  // Before the backup is made: what it will be compared with.
  web::Task<store::Census> observe();
  // After it was made.
  web::Task<> prove(MadeBackup, store::Census);
  // Notes the result of a drill: a sentence, or nothing if the copy was sound.
  struct Drilled {
    std::string source, name;
    std::int64_t records = 0, compared = 0;
    std::chrono::seconds took{0};
    std::string problem;
  };
  web::Task<> note(Drilled);
  // Sends a mail if the last success is older than RESTORE_PROOF_AGE, once in that time.
  web::Task<> warn_if_old(std::string source = from_backups);

 private:
  web::Task<> keep(RestoreProof);
  RestoreProof current(const std::string& source) const;

  const agentbox::Platform& platform_;
  store::Store& store_;
  Backups& backups_;
  const accounts::Accounts& accounts_;
  mail::Outbox& outbox_;
  audit::Audit& audit_;
};

}  // namespace maintenance
