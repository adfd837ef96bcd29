// What the standby and the bucket are built of.
#include <boost/asio/co_spawn.hpp>
#include <memory>

#include "appliance/box/admin_mail.h"
#include "appliance/box/capabilities.h"
#include "appliance/box/listeners.h"
#include "appliance/box/module.h"
#include "appliance/box/standby/bucket_drill.h"
#include "appliance/box/standby/fencer.h"
#include "appliance/box/standby/handlers.h"
#include "appliance/box/standby/shipper.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/redaction.h"
#include "web/log.h"

namespace standby {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        fencing(module.platform.home, "fencing", 1s, [this] { return fencer.work(); }),
        bucket_watch(module.platform.home, "bucket", 1h,
                     [this] { return box.drill->warn_if_old(maintenance::from_bucket); }),
        fencer(module.platform) {
    const auto alarm = [this](bool is_degraded, const std::string& sentence) { report(is_degraded, sentence); };
    if (module.platform.settings.standby != "off")
      shipper = std::make_unique<Shipper>(module.platform, module.store, alarm);
    module.shipper = shipper.get();
    if (!bucket::has_standby_bucket(module.platform.settings)) return;
    const auto bucket_alarm = [this](bool is_behind, const std::string& why) { report_bucket(is_behind, why); };
    BucketCopy::Hooks hooks{bucket_alarm, [this](BucketCopy& copy) { prove_bucket(copy); }};
    bucket = std::make_unique<BucketCopy>(module.platform, module.store, std::move(hooks));
    module.bucket = bucket.get();
  }

  Services services() {
    return {shipper.get(), bucket.get(), box.platform.system, box.store, box.identity.audit, box.platform.backups};
  }

  void prove_bucket(BucketCopy& copy) const {
    auto drilled = try_bucket(box.platform, box.store, copy);
    if (!drilled) return;
    boost::asio::co_spawn(box.platform.home, box.drill->note(std::move(*drilled)), [](std::exception_ptr thrown) {
      if (thrown) web::log::error("restore_proof_not_kept", {{"reason", agentbox::reason_of(thrown)}});
    });
  }

  void report(bool is_degraded, const std::string& sentence) const {
    if (is_degraded)
      web::log::error("standby_lost", {{"reason", sentence}});
    else
      web::log::info("standby_back", {{"reason", sentence}});
    report_to_admins(is_degraded ? "standby lost" : "standby back",
                     is_degraded ? "The standby does not keep up" : "The standby is back", sentence);
  }
  void report_bucket(bool is_behind, const std::string& sentence) const {
    if (is_behind)
      web::log::error("bucket_behind", {{"reason", sentence}});
    else
      web::log::info("bucket_caught_up", {{"reason", sentence}});
    report_to_admins(is_behind ? "bucket behind" : "bucket caught up",
                     is_behind ? "The bucket does not get the changes of the box" : "The bucket is back", sentence);
  }

  // On any thread.
  void report_to_admins(std::string act, std::string subject, const std::string& sentence) const {
    auto tell = [this, act = std::move(act), subject = std::move(subject), sentence]() -> web::Task<> {
      audit::Entry entry{.act = act};
      entry.outcome = sentence;
      co_await box.identity.audit.note(std::move(entry));
      std::string text = sentence + "\n";
      std::string title = subject;
      co_await agentbox::mail_admins(box.platform, box.identity.accounts, box.identity.outbox, std::move(title),
                                     std::move(text));
    };
    boost::asio::co_spawn(box.platform.home, std::move(tell), [](std::exception_ptr thrown) {
      if (thrown) web::log::error("standby_not_reported", {{"reason", agentbox::reason_of(thrown)}});
    });
  }

  web::Task<> start() {
    if (shipper) add_gauges(*shipper);
    if (bucket) bucket_watch.start();
    if (fencer.is_needed()) fencing.start();
    co_return;
  }
  web::Task<> stop() {
    if (bucket) co_await bucket_watch.stop();
    if (fencer.is_needed()) co_await fencing.stop();
    if (shipper) remove_gauges();
  }

  box::Module& box;
  agentbox::Periodic fencing;
  agentbox::Periodic bucket_watch;
  Fencer fencer;
  std::unique_ptr<Shipper> shipper;
  std::unique_ptr<BucketCopy> bucket;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace standby
