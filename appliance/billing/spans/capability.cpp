#include "appliance/billing/module.h"
#include "appliance/billing/spans/records.h"
#include "appliance/identity/personal_data/rows.h"

namespace spans {

namespace {

struct Services {};

struct Parts {
  explicit Parts(billing::Module& module) : billing(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, traces, table, activities, links));
  }
  Services services() { return {}; }
  web::Task<> stop() { return billing.spans.stop(); }

  billing::Module& billing;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>({.tables = {store::describe(table), store::describe(traces),
                                                    store::describe(activities), store::describe(links)}});
}

}  // namespace spans
