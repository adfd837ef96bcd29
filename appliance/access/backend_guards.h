// The guards of the backend's rows. The internal key opens all of them; operator keys open those that their scopes
// name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/routes/route.h"

namespace operator_keys {
class OperatorKeys;
}

namespace agentbox {

// A wrong key is 403, as the contract has it for the internal key, or 401 where the contract lists only that. An
// operator key that is unknown, revoked or expired is always 401, and one without the scope 403 with the scope's name.
// Keys with the scope read-only open GET rows: those of their other scopes, or of the whole box if they have none.
struct BackendGuards {
  web::Guard users;           // scope users
  web::Guard users_secrets;   // the same, never with read-only: the answers contain what gives access to an account
  web::Guard agents;          // scope agents
  web::Guard agents_secrets;  // the same, never with read-only: the answers contain an agent's token
  web::Guard agents_logs;     // scope agents; a wrong key is 401
  web::Guard files;           // scope files; a wrong key is 401
  web::Guard backup;          // scope backup
  web::Guard scim;            // scope scim; a wrong key is 401
  web::Guard box;             // what concerns the whole box: of operator keys only those with nothing but read-only
  web::Guard internal;        // the internal key only
};

struct BackendSources {
  std::string internal_api_key;       // empty: the backend is not configured and answers 500
  std::string internal_api_key_next;  // as valid as the first; empty: there is none
  operator_keys::OperatorKeys& operator_keys;
  // Whether this address, in normal form, is an administrator's.
  std::function<bool(std::string_view email)> is_admin;
  // Requests to /api/admin must name an administrator in x-user-email. Without it only those that name somebody must.
  bool is_admin_required = false;
  // Called for each request with a wrong internal key, and with an operator key that does not open the row, on the
  // thread that serves it.
  std::function<void(const web::Request&)> on_wrong_key;
  std::function<void(const web::Request&, const std::string& caller, const std::string& reason)> on_refused;
};
BackendGuards make_backend_guards(std::shared_ptr<const BackendSources>);  // null: guards that only describe themselves

// Names the scope of each row in its description. For rows of the backend.
void describe_scopes(const BackendGuards&, std::vector<web::Route>&);

}  // namespace agentbox
