// The box's one door to models: chooses the provider, asks it, and meters every call in the usage ledger.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "appliance/ai/catalogue.h"
#include "appliance/ai/provider.h"
#include "appliance/config.h"
#include "appliance/usage/ledger.h"
#include "web/result.h"
#include "web/task.h"

namespace ai {

// On whose behalf a call is made.
struct Who {
  std::int64_t user_id = 0;
  std::string agent;  // empty: no agent
};

class Ai {
 public:
  // The first that is configured serves: the local server (LOCAL_MODEL_URL), the router (a key), else the builtin model
  // unless AI_BUILTIN is off. The ledger must outlive this.
  Ai(const agentbox::Settings&, usage::Ledger&);
  ~Ai();

  // local, openrouter, builtin; empty when nothing is configured.
  std::string_view provider() const;
  // One answer, metered durably before it is returned; failures of the provider are metered too. Kind::unavailable when
  // no provider is configured.
  web::Task<web::Result<ChatAnswer>> complete(ChatRequest, Who);
  web::Task<web::Result<std::vector<ModelInfo>>> models();

 private:
  usage::Call metered(const ChatRequest&, const Outcome<ChatAnswer>&, Who) const;

  usage::Ledger& ledger_;
  const Catalogue catalogue_;
  const std::unique_ptr<Provider> provider_;  // null: none is configured
};

}  // namespace ai
