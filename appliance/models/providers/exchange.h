// One request for an answer, as all providers make it. `Stream` and `parse` are those of the wire format: its
// AnswerStream and parse_answer.
#pragma once

#include <string>
#include <utility>

#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/upstream.h"
#include "appliance/models/providers/wire_json.h"

namespace models {

// Says who made the answer, its reasoning and its signatures.
inline void sign(ChatAnswer& answer, const std::string& provider) {
  answer.provider = provider;
  for (auto& block : answer.message.reasoning) block.provider = provider;
  for (auto& call : answer.message.tool_calls)
    if (!call.signature.empty()) call.signed_by = provider;
}

// Of an answer that cannot be read; a call that the model wrote wrongly is asked for again.
inline Failure unreadable(const Upstream& upstream, const web::Error& error) {
  auto failure = upstream.bad_answer(upstream.quoted(error.message) + ".");
  failure.is_worth_repeating = error.code == malformed_call;
  return failure;
}

// A streamed answer, passed to the listener as it arrives. A server that answers whole nonetheless is accepted.
template <class Stream, class Parse>
web::Task<Outcome<ChatAnswer>> streamed_answer(const Upstream& upstream, std::string path, web::FetchHeaders headers,
                                               std::string body, const ChatRequest& request, Listener& listener,
                                               Parse parse) {
  Stream stream(listener);
  auto on_event = [&stream](std::string_view, std::string_view data) { return stream.event(data); };
  const auto ended =
      co_await upstream.stream(std::move(path), std::move(headers), std::move(body), on_event, request.origin);
  if (!ended) co_return ended.error();
  if (!ended->whole.empty()) {
    auto answer = parse(ended->whole, request);
    if (!answer) co_return unreadable(upstream, answer.error());
    sign(*answer, upstream.name());
    openai::replay(*answer, listener);
    co_return std::move(*answer);
  }
  if (const auto& error = stream.reported_error()) co_return upstream.reported(error->type, error->message);
  if (!stream.is_complete()) co_return upstream.bad_answer("ended its answer in the middle.");
  auto answer = stream.take(request);
  sign(answer, upstream.name());
  co_return answer;
}

template <class Parse>
web::Task<Outcome<ChatAnswer>> whole_answer(const Upstream& upstream, std::string path, web::FetchHeaders headers,
                                            std::string body, const ChatRequest& request, Parse parse) {
  const auto answered =
      co_await upstream.ask("POST", std::move(path), std::move(headers), std::move(body), request.origin);
  if (!answered) co_return answered.error();
  auto answer = parse(*answered, request);
  if (!answer) co_return unreadable(upstream, answer.error());
  sign(*answer, upstream.name());
  co_return std::move(*answer);
}

}  // namespace models
