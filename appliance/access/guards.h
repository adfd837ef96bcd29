// The guards that a row of a route table can name. Rows hold references: the guards must outlive every listener.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/access/backend_guards.h"
#include "store/store.h"
#include "web/routes/route.h"

namespace accounts {
class Sessions;
struct User;
}  // namespace accounts
namespace keys {
class Keys;
}

namespace agentbox {

struct Guards {
  web::Guard none;               // anyone
  web::Guard session;            // a live session cookie, else 401
  web::Guard session_optional;   // caller.user_id is 0 without one
  web::Guard session_enrolling;  // as session; also for users who must set up a second factor first
  web::Guard admin_session;      // a live session of an administrator, else 403
  web::Guard support_session;    // the same, also for users with the role support
  BackendGuards backend;         // Authorization: Bearer, with the internal key or an operator key
  web::Guard user_key;           // Authorization: Bearer sk_...
  web::Guard installation_key;   // the same key, with or without sk_
  web::Guard agent_token;        // Authorization: Bearer <an agent's box token>; sets caller.agent and caller.user_id
  web::Guard model_caller;       // an agent's token or a user's API key
};

// What the guards depend on. They read the store at every request, so that a disabled user, an ended session and a
// replaced token lose access at once.
struct GuardSources {
  store::System system;
  const accounts::Sessions& sessions;
  keys::Keys& keys;
  std::shared_ptr<const BackendSources> backend;
  // The agent that a box token belongs to; nothing for an unknown token.
  std::function<std::optional<web::Caller>(std::string_view token)> agent_of;
  std::function<bool(const accounts::User&)> is_admin;
  // Whether this user must set up a second factor before anything else: 403, SECOND_FACTOR_SETUP_REQUIRED.
  std::function<bool(const accounts::User&)> must_enrol;
};
Guards make_guards(GuardSources);
// Guards that only describe themselves, for documents; they must not be asked.
Guards documented_guards();

}  // namespace agentbox
