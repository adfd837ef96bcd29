#include "appliance/agent/token_scale.h"

#include <algorithm>

#include "appliance/models/token_counts.h"

namespace agent_process {

namespace {

constexpr std::size_t message_overhead = 32;  // bytes: role and separators, as a model's template adds them
constexpr std::int64_t least_counted = 500;
constexpr double least_factor = 0.6, most_factor = 4, share_of_smaller = 0.25;

std::size_t bytes_of(const models::Message& message) {
  auto bytes = message_overhead + message.content.size();
  for (const auto& call : message.tool_calls)
    bytes += call.name.size() + call.arguments.size() + call.id.size() + call.signature.size();
  for (const auto& block : message.reasoning) bytes += block.text.size() + block.signature.size() + block.sealed.size();
  return bytes;
}

// What a model reads again of its own reasoning.
std::int64_t reasoning_tokens(const models::Message& message) {
  models::TokenCounter counter;
  for (const auto& block : message.reasoning) counter.add(block.text);
  return counter.count();
}

double share_of(std::int64_t of_model, std::int64_t counted) {
  return std::clamp(static_cast<double>(of_model) / static_cast<double>(counted), least_factor, most_factor);
}

}  // namespace

std::int64_t context_tokens(const models::Message& message) {
  const auto counted = models::counted_tokens(message) + reasoning_tokens(message);
  return std::max(counted, static_cast<std::int64_t>(bytes_of(message)) / bytes_a_token);
}

std::int64_t context_tokens(const models::ChatRequest& request) {
  models::ChatRequest rest;
  rest.tools = request.tools;
  auto counted = models::counted_tokens(rest);
  for (const auto& message : request.messages) counted += context_tokens(message);
  return counted;
}

void TokenScale::learn(std::int64_t counted, std::int64_t reported) {
  // Some servers report only those tokens that their cache did not have.
  if (counted < least_counted || reported < counted / 2) return;
  const auto seen = share_of(reported, counted);
  factor_ = seen > factor_ ? seen : factor_ + share_of_smaller * (seen - factor_);
}

void TokenScale::learn_refusal(std::int64_t counted, std::int64_t most) {
  if (counted >= least_counted) factor_ = std::max(factor_, share_of(most, counted));
}

}  // namespace agent_process
