// Client of the box's model endpoint: POST <backend>/v1/chat/completions with the box token, streamed.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "appliance/billing/spans/trace_context.h"
#include "appliance/models/chat.h"
#include "appliance/models/queue/fair_queue.h"
#include "web/result.h"
#include "web/task.h"

namespace agent_process {

// Members that the box does not know are not set.
struct ModelFacts {
  std::optional<std::int64_t> context_tokens;
  std::optional<bool> sees_pictures;
};

class ModelClient {
 public:
  ModelClient(std::string backend_url, std::string box_token, std::string model);

  // Called with each piece of the answer's text as it arrives.
  using OnText = std::function<void(std::string_view piece, const std::string& model)>;
  // Called with the place in the queue before the model, every few seconds while the request waits there, and with the
  // place 0 once it does not.
  using OnPlace = std::function<void(const models::FairQueue::Place&)>;
  // Returns one answer within `time`; of the agent's own model, unless the request names another. The error's message
  // is a sentence for the agent's user, without secrets; its code is the one of the OpenAI API
  // (context_length_exceeded, ...), or empty.
  web::Task<web::Result<models::ChatAnswer>> ask(models::ChatRequest, std::chrono::milliseconds time, OnText, OnPlace,
                                                 spans::TraceContext) const;
  web::Task<web::Result<models::ChatAnswer>> ask(models::ChatRequest request, std::chrono::milliseconds time,
                                                 OnText on_text, spans::TraceContext trace) const {
    return ask(std::move(request), time, std::move(on_text), OnPlace(), std::move(trace));
  }
  // Who waits for the turn that the following requests belong to; turns do not overlap.
  void wait_as(models::WaitClass wait_class) { wait_class_ = wait_class; }
  // The box's id of the message that began it; empty: none.
  void belong_to(std::string message) { message_ = std::move(message); }
  // What the box knows of a model.
  web::Task<ModelFacts> facts(std::string model) const;

 private:
  const std::string backend_url_, token_, model_;
  models::WaitClass wait_class_ = models::WaitClass::person;
  std::string message_;
};

}  // namespace agent_process
