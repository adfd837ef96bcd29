// What the rows that ask a model share.
#pragma once

#include <algorithm>
#include <chrono>

#include "appliance/models/call_handle.h"
#include "appliance/models/openai_api/handlers.h"
#include "web/protocol/http.h"

namespace models::openai_api {

// OpenAI answers 404 for an unknown model, which its clients have an exception for.
inline web::Error as_openai_has_it(web::Error error) {
  if (error.code == "model_not_found") error.kind = web::Kind::not_found;
  return error;
}

// A stream sends its head within this time, and comments while there is nothing to send, so that clients and proxies do
// not take it for dead. Later errors are events.
inline constexpr std::chrono::milliseconds comment_interval{4'000};

// The next pieces of a streamed answer; comments are written while there are none, or blanks in a form that has no
// comments. Empty: the answer has ended.
inline web::Task<std::vector<AnswerPiece>> next_pieces(CallHandle& handle, web::StreamWriter& writer,
                                                       bool takes_comments = true) {
  for (;;) {
    auto pieces = co_await handle.next_within(comment_interval);
    if (pieces) co_return std::move(*pieces);
    std::string filler = takes_comments ? handle.comment() : " ";
    co_await writer.write(std::move(filler));
  }
}

// How a streamed call has failed before its first piece, and before the head had to be sent: it gets an error status.
inline web::Task<std::optional<web::Error>> early_failure(CallHandle& handle) {
  const auto begun = co_await handle.begins_within(comment_interval);
  if (begun.value_or(true)) co_return std::nullopt;
  const auto answer = co_await handle.answer();
  if (answer) co_return std::nullopt;
  co_return as_openai_has_it(answer.error());
}

inline web::Response unbuffered_events(web::Stream stream) {
  auto response = web::server_sent_events(std::move(stream));
  response.set("X-Accel-Buffering", "no");
  return response;
}

// Agents say who waits for them. Users' programs count as persons, whatever they say.
inline WaitClass wait_class_of(const web::Request& request) {
  return request.caller.agent.empty() ? WaitClass::person : wait_class_named(request.header(wait_class_header));
}

// For the caller of the request, whom the payer is looked up for.
inline web::Result<ModelCall> model_call(const Services& services, const web::Request& request, ChatRequest asked) {
  auto payer = services.gateway.policy().payer_of(request.caller, request.header(turn_header));
  if (!payer) return payer.error();
  ModelCall call{.request = std::move(asked),
                 .query = {},
                 .payer = std::move(*payer),
                 .trace = spans::TraceContext::parse(request.header(spans::traceparent)),
                 .wait_class = wait_class_of(request)};
  const auto& agent = request.caller.agent;
  call.request.is_cached = !agent.empty();
  call.query = {
      .model = call.request.model, .task = {}, .provider = agent.empty() ? std::string() : services.provider_of(agent)};
  return call;
}

}  // namespace models::openai_api
