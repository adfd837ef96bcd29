// Changes what is stored about an agent: plan, provider, config, verification.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/records.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

struct Changes {
  std::optional<std::string> plan, ai_provider;
  std::optional<boost::json::object> config;
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
  // `knows_model` must outlive this.
  AgentEditor(store::System system, const KnowsModel& knows_model)
      : system_(std::move(system)), knows_model_(knows_model) {}

  // A model named in the config is the agent's from its next start on. not_found; invalid, naming the field;
  // payment_required for the deprecated plan; unauthenticated if the caller's session ends before the commit. The
  // backend's caller, user 0, has none.
  web::Task<web::Result<Agent>> change(web::Caller, store::UserId owner, std::string id, Changes);
  // not_found, invalid.
  web::Task<web::Result<Agent>> verify(store::UserId owner, std::string id, Verification);

 private:
  store::System system_;
  const KnowsModel& knows_model_;
};

}  // namespace agents
