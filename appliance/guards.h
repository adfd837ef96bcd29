// The guards a route row can name. Built once in box.cpp; routes hold references, so this outlives every listener.
#pragma once

#include "web/route.h"

namespace agentbox {

struct Guards {
  web::Guard none;             // anyone
  web::Guard session;          // a live session cookie, else 401
  web::Guard session_optional; // caller.user_id is 0 without one
  web::Guard internal_key;     // Authorization: Bearer INTERNAL_API_KEY
  web::Guard user_key;         // Authorization: Bearer sk_...
  web::Guard agent_token;      // Authorization: Bearer <an agent's box token>; caller.agent and caller.user_id are set
};

}  // namespace agentbox
