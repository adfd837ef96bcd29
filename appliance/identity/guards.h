// The guards a route row can name. Built once in box.cpp; routes hold references, so this outlives every listener.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "web/route.h"

namespace accounts {
class Accounts;
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
  web::Guard session_enrolling;  // as session, also for who must set a second factor up and is refused elsewhere
  web::Guard admin_session;      // a live session of an admin; another's is 403
  web::Guard internal_key;       // Authorization: Bearer INTERNAL_API_KEY
  web::Guard backend_key;        // the same key, where a wrong one is 401 like none
  web::Guard user_key;           // Authorization: Bearer sk_...
  web::Guard installation_key;   // the same key, its sk_ left out or not
  web::Guard agent_token;  // Authorization: Bearer <an agent's box token>; caller.agent and caller.user_id are set
};

// What the guards ask. Each question is answered from the store at every request, so that a user who is disabled or
// deleted, a session that ended and a token that was replaced lose access at once.
struct GuardSources {
  const accounts::Sessions& sessions;
  const accounts::Accounts& accounts;
  keys::Keys& keys;
  std::string internal_api_key;  // empty: the backend is not configured and refuses with 500
  // Whose box token this is; nothing for an unknown one.
  std::function<std::optional<web::Caller>(std::string_view token)> agent_of;
  // Told of each request that brings a wrong internal key, on the thread that serves it.
  std::function<void(const web::Request&)> on_wrong_key;
  // Whether this user may do nothing but set a second factor up: 403, SECOND_FACTOR_SETUP_REQUIRED.
  std::function<bool(const accounts::User&)> must_enrol;
};
Guards make_guards(GuardSources);

}  // namespace agentbox
