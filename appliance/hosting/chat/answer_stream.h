// Streams an answer to the client. The exchange stops if the client disconnects.
#pragma once

#include "appliance/hosting/chat/chat.h"
#include "web/protocol/http.h"

namespace chat {

// Starts the exchange on the connection's thread and returns a response that streams it as server-sent events: `delta`
// {content}, `tool_call`, `tool_result`, then `done` (the complete answer) or `error` {error, status}.
web::Task<web::Response> stream_answer(Chat&, Question);

}  // namespace chat
