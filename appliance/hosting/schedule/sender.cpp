#include "appliance/hosting/schedule/schedule.h"
#include "appliance/identity/accounts/records.h"

namespace schedule {

namespace {

web::Task<web::Result<std::string>> send(store::System system, chat::Chat& chat, store::UserId user, std::string agent,
                                         std::string prompt) {
  const auto owner = system.get(accounts::users, user);
  if (!owner || owner->value.is_disabled) co_return web::forbidden("The account of the task's owner is disabled.");
  auto answer = co_await chat.send(user, std::move(agent), std::move(prompt));
  if (!answer) co_return answer.error();
  co_return std::move(answer->message.content);
}

}  // namespace

Sender chat_sender(store::System system, chat::Chat& chat) {
  return [system, &chat](store::UserId user, std::string agent, std::string prompt) {
    return send(system, chat, user, std::move(agent), std::move(prompt));
  };
}

}  // namespace schedule
