// Changes what is stored about an agent: name, model, plan, provider, config, verification.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/records.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

struct Changes {
  std::optional<std::string> plan, ai_provider;
  std::optional<boost::json::object> config;
};

// Absent members stay as they are.
struct Patch {
  std::optional<std::string> name, model;
  boost::json::object config;  // members that are null are removed, others are replaced (RFC 7396, at the top level)

  bool is_empty() const { return !name && !model && config.empty(); }
};

// See the contract's verification types.
struct Verification {
  bool verified = false;
  std::optional<std::string> type, attestation_uid, verifier_address;  // no type: the verification is removed
  std::optional<boost::json::object> metadata;
};

// Callable from every thread.
class AgentEditor {
 public:
  // The rules must outlive this.
  AgentEditor(store::System system, const ConfigRules& rules) : system_(std::move(system)), rules_(rules) {}

  // A model named in the config is the agent's from its next start on. not_found; invalid, naming the field;
  // payment_required for the deprecated plan; unauthenticated if the caller's session ends before the commit. The
  // backend's caller, user 0, has none.
  web::Task<web::Result<Agent>> change(web::Caller, store::UserId owner, std::string id, Changes);
  // The name, the model and parts of the config; the rest of the config stays. The agent has the model and the config
  // from its next start on. Its addresses do not change with its name. Errors as for change().
  web::Task<web::Result<Agent>> patch(web::Caller, store::UserId owner, std::string id, Patch);
  // not_found, invalid.
  web::Task<web::Result<Agent>> verify(store::UserId owner, std::string id, Verification);

 private:
  // `edit_record` takes (Agent&) and returns a Result<void>; it may run several times.
  template <class Edit>
  web::Task<web::Result<Agent>> edit(web::Caller, store::UserId owner, std::string id, Edit edit_record);

  store::System system_;
  const ConfigRules& rules_;
};

}  // namespace agents
