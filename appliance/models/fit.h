// What a model cannot do.
#pragma once

#include <optional>

#include "appliance/models/chat.h"
#include "appliance/models/model_router.h"
#include "web/result.h"

namespace models {

// The error that names what the candidate's model or provider cannot do of the request; not set if it can do all.
std::optional<web::Error> find_misfit(const Candidate&, const ChatRequest&);

// Takes out of a request what the model's vendor refuses for it (Model::refused), and moves its reasoning effort to the
// nearest level that the model has. Both only refine the request.
void adapt(ChatRequest&, const Model&);

}  // namespace models
