// The parameters of the OpenAI form beside messages and tools: checked one by one, since one that is dropped in silence
// changes what the client asked for.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models::openai {

// Fills in request.stop and request.options. An error names the parameter: of a wrong shape, or one that the box does
// not pass on.
std::optional<web::Error> read_options(const boost::json::object& body, ChatRequest& request);

}  // namespace models::openai
