#include "appliance/models/model_span.h"

namespace models {

namespace {

spans::Span span_of(const usage::Call& call) {
  spans::Span span;
  span.owner = call.user_id;
  span.type = spans::Type::inference;
  span.name = "chat " + call.model;
  span.agent = call.agent;
  span.model = call.model;
  span.provider = call.provider;
  return span;
}

void add_usage(spans::Span& span, const TokenUsage& usage) {
  span.input_tokens = usage.input;
  span.output_tokens = usage.output;
}

}  // namespace

spans::Span model_span(const Attempt& attempt) { return span_of(attempt.call); }

void end_span(spans::Running running, const Attempt& attempt, const Outcome<ChatAnswer>& outcome) {
  if (!outcome) {
    running.end({.status = spans::Status::error, .error = outcome.error().message});
    return;
  }
  auto& span = running.span();
  add_usage(span, outcome->usage);
  span.cost = attempt.cost_of(outcome->usage).units();
  if (!attempt.candidate.model && !outcome->model.empty()) span.model = outcome->model;
  running.end({});
}

spans::Span cached_span(const ModelCall& call, const ChatAnswer& answer) {
  auto span =
      span_of({.user_id = call.payer.user, .agent = call.payer.agent, .provider = "cache", .model = answer.model});
  span.trace_id = call.trace.trace_id;
  span.parent_id = call.trace.parent_id;
  span.started_at = store::now();
  span.duration_us = 0;
  add_usage(span, answer.usage);
  return span;
}

}  // namespace models
