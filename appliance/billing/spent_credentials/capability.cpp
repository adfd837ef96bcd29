#include "appliance/billing/module.h"
#include "web/log.h"

namespace spent_credentials {

namespace {

struct Services {};

struct Parts {
  // What a crash left is put in order before anything is served.
  explicit Parts(billing::Module& module) {
    if (const auto count = module.spent_credentials.recover(); count > 0)
      web::log::info("interrupted_payments_recovered", {{"count", static_cast<std::int64_t>(count)}});
  }
  Services services() const { return {}; }
};

}  // namespace

billing::Capability capability() { return billing::Capability::of<Parts>({.tables = {store::describe(credentials)}}); }

}  // namespace spent_credentials
