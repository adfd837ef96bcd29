// An answer that is streamed: the exchange goes on whether or not somebody reads along.
#pragma once

#include "appliance/hosting/chat/chat.h"
#include "web/http.h"

namespace chat {

// Has the agent answer and tells the client as it comes, as server-sent events: `delta` {content}, then `done` (as the
// whole answer is shown) or `error` {error, status}. The exchange runs on the connection's thread and ends by itself
// when the client goes away.
web::Task<web::Response> streamed_answer(Chat&, Asked);

}  // namespace chat
