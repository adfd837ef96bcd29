// The sixth provider: a deterministic extractive text model inside the binary. It needs no network, says what it is,
// follows the tool protocol for plain requests (builtin_intent.h) and otherwise answers with sentences it was given. It
// makes nothing up because it cannot. Where a message has images it says that it has not seen them.
#pragma once

#include "appliance/models/providers/provider.h"

namespace models {

inline constexpr std::string_view builtin_model = "agentbox/builtin";

class Builtin : public Provider {
 public:
  std::string_view name() const override { return "builtin"; }
  // A newest message that is nothing but images, a form or a tool that must be, what steers sampling.
  std::optional<std::string> cannot(const ChatRequest&) const override;
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;
};

// The same answer for the same request, always, but for its id. Linear in the request's size.
ChatAnswer builtin_answer(const ChatRequest&);

}  // namespace models
