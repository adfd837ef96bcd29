// What the rows that ask a model share.
#pragma once

#include <algorithm>

#include "appliance/models/call_handle.h"
#include "appliance/models/openai_api/routes.h"
#include "web/protocol/http.h"

namespace models::openai_api {

// OpenAI answers 404 for an unknown model, which its clients have an exception for.
inline web::Error as_openai_has_it(web::Error error) {
  if (error.code == "model_not_found") error.kind = web::Kind::not_found;
  return error;
}

// For the caller of the request, whom the payer is looked up for.
inline web::Result<ModelCall> model_call(const Services& services, const web::Request& request, ChatRequest asked) {
  auto payer = services.gateway.policy().payer_of(request.caller);
  if (!payer) return payer.error();
  ModelCall call{.request = std::move(asked),
                 .query = {},
                 .payer = std::move(*payer),
                 .trace = spans::TraceContext::parse(request.header(spans::traceparent))};
  const auto& agent = request.caller.agent;
  call.query = {
      .model = call.request.model, .task = {}, .provider = agent.empty() ? std::string() : services.provider_of(agent)};
  return call;
}

}  // namespace models::openai_api
