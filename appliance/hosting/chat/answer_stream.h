// Streams an answer to the client. By itself an exchange stops when its client disconnects.
#pragma once

#include "appliance/hosting/chat/chat.h"
#include "web/protocol/http.h"

namespace chat {

// Starts the exchange on the connection's thread and returns a response that streams it as server-sent events: `delta`
// {content}, `tool_call`, `tool_result`, then `done` (the complete answer) or `error` {error, status}. `keeps_on`:
// the exchange goes on when the client disconnects, and the first event is `question` {id, conversationId}.
web::Task<web::Response> stream_answer(Chat&, Question, bool keeps_on);
// The same events of an answer that another stream began, from its beginning, then `end`: the history has the rest.
// Nothing but `end` for an answer that is not on its way.
web::Response follow_answer(std::shared_ptr<const LiveAnswer>);

}  // namespace chat
