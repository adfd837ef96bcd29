#include "appliance/box/open_store.h"

#include "appliance/billing/mpp/wallets.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/records.h"
#include "appliance/files/explorer/git_hosts.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/cloning/payment_proof.h"
#include "appliance/hosting/installations/installations.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/watchdog/records.h"
#include "appliance/identity/accounts/records.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/keys/keys.h"
#include "appliance/identity/mail/records.h"
#include "appliance/identity/recovery/records.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/security_events/records.h"
#include "appliance/identity/verification/records.h"
#include "appliance/models/answer_cache.h"
#include "appliance/models/provider_keys.h"

namespace agentbox {

namespace fs = std::filesystem;

std::vector<store::TableInfo> tables() {
  return {store::describe(accounts::users),
          store::describe(accounts::sessions),
          store::describe(identities::identities),
          store::describe(identities::blocked_identities),
          store::describe(security::used_once),
          store::describe(audit::entries),
          store::describe(security_events::received),
          store::describe(mail::mails),
          store::describe(recovery::requests),
          store::describe(recovery::tokens),
          store::describe(verification::tokens),
          store::describe(second_factor::factors),
          store::describe(second_factor::passkeys),
          store::describe(keys::api_keys),
          store::describe(billing::subscriptions),
          store::describe(usage::calls),
          store::describe(usage::reservations),
          store::describe(usage::names),
          store::describe(billing::caps),
          store::describe(models::provider_keys),
          store::describe(models::cache_wishes),
          store::describe(agents::records),
          store::describe(agents::jobs),
          store::describe(chat::messages),
          store::describe(schedule::tasks),
          store::describe(schedule::runs),
          store::describe(watchdog::watches),
          store::describe(installations::table),
          store::describe(mpp::wallets),
          store::describe(explorer::git_hosts),
          store::describe(cloning::payments)};
}

std::unique_ptr<store::Store> open_store(const Settings& settings, Access access, const store::Trouble& on_trouble) {
  const DataFolder folder(settings.data);
  if (fs::exists(folder.config_file()) && fs::exists(folder.key_file()) && !fs::exists(folder.store())) {
    throw UsageError(folder.path().string() + " was set up, but its folder " + folder.store().filename().string() +
                     " is missing: put it back, or restore a backup with `agentbox restore`");
  }
  return store::Store::open({.folder = folder.store(),
                             .master_key = folder.master_key(settings),
                             .tables = tables(),
                             // Counters are read in both forms, and written in the one that schema 1 does not know.
                             .migrations = {{.to = 2, .what = "counters in as many bytes as they need", .run = {}}},
                             .read_only = access == Access::read_only,
                             .on_trouble = on_trouble});
}

}  // namespace agentbox
