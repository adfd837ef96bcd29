// What callers add to the commit that creates or changes an agent.
#pragma once

#include <functional>

#include "appliance/access/epochs.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace agents {

// Adds to the change, or refuses it. May run several times.
using CommitHook = std::function<web::Result<void>(store::Change&)>;

// Refuses with unauthenticated once the caller's session has ended: see accounts::advance_credential_epoch.
inline CommitHook while_signed_in(store::System system, web::Caller caller) {
  return [system = std::move(system), caller = std::move(caller)](store::Change& change) {
    return accounts::advance_credential_epoch(system, caller, change);
  };
}

}  // namespace agents
