// What a model cannot do.
#pragma once

#include <optional>

#include "appliance/models/chat.h"
#include "appliance/models/model_router.h"
#include "web/result.h"

namespace models {

// The error that names what the candidate's model or provider cannot do of the request; not set if it can do all.
std::optional<web::Error> find_misfit(const Candidate&, const ChatRequest&);

}  // namespace models
