#include "appliance/hosting/chat/views.h"

namespace chat {

namespace {

MessageItem item_of(Message message) {
  auto conversation = conversation_of(message);
  MessageItem item{.id = std::move(message.id),
                   .role = message.role,
                   .content = std::move(message.content),
                   .createdAt = message.created_at,
                   .delivery = {},
                   .error = {},
                   .model = {},
                   .stopped = {},
                   .conversationId = std::move(conversation),
                   .steps = {},
                   .files = {},
                   .guard = {},
                   .inputTokens = {},
                   .outputTokens = {}};
  if (!message.steps.empty()) {
    item.steps.emplace();
    for (auto& step : message.steps)
      item.steps->push_back({.id = std::move(step.id),
                             .name = std::move(step.name),
                             .arguments = std::move(step.arguments),
                             .result = std::move(step.result),
                             .failed = step.failed,
                             .durationMs = step.failed ? std::optional(step.duration_ms) : std::nullopt});
  }
  if (!message.files.empty()) item.files = std::move(message.files);
  if (!message.guard.empty()) item.guard = std::move(message.guard);
  if (message.input_tokens > 0 || message.output_tokens > 0) {
    item.inputTokens = message.input_tokens;
    item.outputTokens = message.output_tokens;
  }
  if (message.role == Role::user) item.delivery = message.delivery;
  if (message.role == Role::assistant && !message.model.empty()) item.model = std::move(message.model);
  if (message.is_stopped) item.stopped = true;
  if (message.delivery == Delivery::failed || (message.is_stopped && !message.failure.empty()))
    item.error = std::move(message.failure);
  return item;
}

}  // namespace

Sent view(Answer answer) {
  return {.message = item_of(std::move(answer.message)),
          .model = std::move(answer.model),
          .usage = std::move(answer.usage)};
}

ConversationItem view(Conversation one) {
  return {.id = std::move(one.id),
          .channel = one.channel,
          .audience = one.audience,
          .peer = one.peer.empty() ? std::nullopt : std::optional(std::move(one.peer)),
          .title = std::move(one.title),
          .archived = one.is_archived,
          .pinned = one.is_pinned,
          .createdAt = one.created_at,
          .lastMessageAt = one.last_at,
          .folder = std::move(one.folder),
          .branchOf = one.branch_of.empty() ? std::nullopt : std::optional(std::move(one.branch_of)),
          .model = one.model.empty() ? std::nullopt : std::optional(std::move(one.model)),
          .reasoningEffort = one.effort.empty() ? std::nullopt : std::optional(std::move(one.effort))};
}

History view(std::vector<Message> found) {
  History history;
  for (auto& message : found) history.messages.push_back(item_of(std::move(message)));
  history.count = std::int64_t(history.messages.size());
  return history;
}

History view(Found found) {
  auto history = view(std::move(found.messages));
  if (!found.next.empty()) history.next = std::move(found.next);
  return history;
}

}  // namespace chat
