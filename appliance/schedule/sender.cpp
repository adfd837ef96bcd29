#include "appliance/accounts/records.h"
#include "appliance/schedule/schedule.h"

namespace schedule {

namespace {

using namespace std::chrono_literals;

constexpr auto pause_between_looks = 250ms;
constexpr int most_looks = 120;

// After the box has started, or after a crash of its own, an agent comes up a moment later than its prompts are due.
web::Task<> until_up(const agents::Agents& agents, store::UserId user, std::string agent) {
  for (int look = 0; look < most_looks; ++look) {
    const auto found = agents.find(user, agent);
    if (!found || found->status != agents::Status::provisioning) co_return;
    co_await web::sleep_for(pause_between_looks);
  }
}

web::Task<web::Result<std::string>> send(store::System system, chat::Chat& chat, const agents::Agents& agents,
                                         store::UserId user, std::string agent, std::string prompt) {
  const auto owner = system.get(accounts::users, user);
  if (!owner || owner->value.is_disabled) co_return web::forbidden("The account of the task's owner is disabled.");
  co_await until_up(agents, user, agent);
  auto answer = co_await chat.send(user, std::move(agent), std::move(prompt));
  if (!answer) co_return answer.error();
  co_return std::move(answer->message.content);
}

}  // namespace

Sender through(store::System system, chat::Chat& chat, const agents::Agents& agents) {
  return [system, &chat, &agents](store::UserId user, std::string agent, std::string prompt) {
    return send(system, chat, agents, user, std::move(agent), std::move(prompt));
  };
}

}  // namespace schedule
