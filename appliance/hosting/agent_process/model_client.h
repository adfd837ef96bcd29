// Client of the box's model endpoint: POST <backend>/v1/chat/completions with the box token, streamed.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "appliance/billing/spans/trace_context.h"
#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/task.h"

namespace agent_process {

class ModelClient {
 public:
  ModelClient(std::string backend_url, std::string box_token, std::string model);

  // Called with each piece of the answer's text as it arrives.
  using OnText = std::function<void(std::string_view piece, const std::string& model)>;
  // Returns one answer within `time`. The error's message is a sentence for the agent's user, without secrets; its code
  // is the one of the OpenAI API (context_length_exceeded, ...), or empty.
  web::Task<web::Result<models::ChatAnswer>> ask(models::ChatRequest, std::chrono::milliseconds time, OnText,
                                                 spans::TraceContext = {}) const;

 private:
  const std::string url_, token_, model_;
};

}  // namespace agent_process
