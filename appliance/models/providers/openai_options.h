// The parameters of the OpenAI form beside messages and tools: checked one by one, since dropping one silently would
// change the request.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models::openai {

// Fills in request.stop, request.options and request.unknown. An error names the parameter: it is malformed, or the box
// does not pass it on.
std::optional<web::Error> read_options(const boost::json::object& body, ChatRequest& request);

}  // namespace models::openai
