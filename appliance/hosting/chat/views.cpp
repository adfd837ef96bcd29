#include "appliance/hosting/chat/views.h"

namespace chat {

namespace {

MessageItem item_of(Message message) {
  MessageItem item{.id = std::move(message.id),
                   .role = message.role,
                   .content = std::move(message.content),
                   .createdAt = message.created_at,
                   .delivery = {},
                   .error = {},
                   .model = {},
                   .stopped = {}};
  if (message.role == Role::user) item.delivery = message.delivery;
  if (message.role == Role::assistant && !message.model.empty()) item.model = std::move(message.model);
  if (message.is_stopped) item.stopped = true;
  if (message.delivery == Delivery::failed) item.error = std::move(message.failure);
  return item;
}

}  // namespace

Sent view(Answer answer) {
  return {.message = item_of(std::move(answer.message)),
          .model = std::move(answer.model),
          .usage = std::move(answer.usage)};
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
