// The events of a turn as the gateway sends them.
#pragma once

#include <string>

#include "appliance/agent/turn_stream.h"
#include "web/protocol/http.h"

namespace agent_process {

std::string new_answer_id();  // in OpenAI's form

// Runs a turn and sends it as the chunks of a completion. It is stopped when the client disconnects.
web::Task<> send_turn(Loop&, Prompt, bool include_usage, spans::TraceContext, web::StreamWriter&);

// A message of the WebSocket.
std::string socket_message(const TurnEvent&);

}  // namespace agent_process
