// The box's own capabilities: the console, administration, health and metrics, the status page, backups.
#pragma once

#include "appliance/box/acme/renewal.h"
#include "appliance/box/administration/recent_proofs.h"
#include "appliance/box/capabilities.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/hosting/module.h"
#include "appliance/identity/module.h"
#include "store/store.h"
#include "web/server/loop_watchdog.h"

namespace maintenance {
class RestoreDrill;
}
namespace standby {
class BucketCopy;
class Shipper;
}  // namespace standby

namespace box {

class Module {
 public:
  // All of them must outlive this.
  Module(const agentbox::Platform& given_platform, store::Store& given_store, const web::LoopWatchdog& given_watchdog,
         const agentbox::SettingSources& given_sources, identity::Module& given_identity, models::Module& given_models,
         hosting::Module& given_hosting, std::function<void()> reload_tls)
      : platform(given_platform),
        store(given_store),
        loop_watchdog(given_watchdog),
        setting_sources(given_sources),
        identity(given_identity),
        models(given_models),
        hosting(given_hosting),
        recent_proofs(given_identity.sessions),
        certificate(given_platform, std::move(reload_tls)),
        capabilities_(box::capabilities(), *this) {}

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  const agentbox::Platform& platform;
  store::Store& store;
  const web::LoopWatchdog& loop_watchdog;
  const agentbox::SettingSources& setting_sources;
  identity::Module& identity;
  models::Module& models;
  hosting::Module& hosting;
  administration::RecentProofs recent_proofs;
  acme::Renewal certificate;
  // Set by their capabilities.
  maintenance::RestoreDrill* drill = nullptr;
  standby::Shipper* shipper = nullptr;    // null: STANDBY is off
  standby::BucketCopy* bucket = nullptr;  // null: there is none

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace box
