// The builtin provider: a deterministic extractive text model inside the binary. It needs no network, identifies
// itself, calls tools for plain requests (builtin_intent.h) and otherwise answers with sentences from its input. It
// cannot see images and says so.
#pragma once

#include "appliance/models/providers/provider.h"

namespace models {

inline constexpr std::string_view builtin_model = "agentbox/builtin";

class Builtin : public Provider {
 public:
  std::string_view name() const override { return "builtin"; }
  // Refuses a last message of images only, required formats or tools, and sampling parameters.
  std::optional<std::string> cannot(const ChatRequest&) const override;
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;
};

// Whether the first answer of a conversation says what this model is, and that no other is configured.
enum class Introduction { given, left_out };

// Returns the same answer for the same request, except its id. Takes linear time in the request's size.
ChatAnswer builtin_answer(const ChatRequest&, Introduction = Introduction::given);

}  // namespace models
