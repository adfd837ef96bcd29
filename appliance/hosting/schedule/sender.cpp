#include "appliance/access/records.h"
#include "appliance/hosting/schedule/schedule.h"
#include "web/log.h"

namespace schedule {

namespace {

// The builder who has made the task; nothing for the owner's and the agent's own.
std::optional<store::UserId> person_of(const Task& task) {
  if (!task.made_by.starts_with(person_prefix)) return std::nullopt;
  return accounts::parse_user_id(std::string_view(task.made_by).substr(person_prefix.size()));
}

web::Task<web::Result<std::string>> send(store::System system, chat::Chat& chat, MayBuild may_build, Run run,
                                         std::string prompt) {
  const auto owner = system.get(accounts::users, run.owner);
  if (!owner || owner->value.is_disabled) co_return web::forbidden("The account of the task's owner is disabled.");
  auto sender = chat::Sender::of_owner(chat::Channel::schedule, run.task);
  if (const auto task = system.tenant(run.owner).get(tasks, run.task)) {
    if (const auto person = person_of(task->value)) {
      if (!may_build || !may_build(*person, run.agent))
        co_return web::forbidden("The agent is no longer shared with the user who scheduled this.");
      sender = chat::Sender::of_peer(chat::Channel::schedule, task->value.made_by, *person, run.task);
    }
    sender.title = task->value.name;
    sender.model = task->value.model;
    sender.effort = task->value.effort;
  }
  auto answer = co_await chat.send(run.owner, std::move(run.agent), std::move(prompt), std::move(sender));
  if (!answer) co_return answer.error();
  if (answer->is_cut_off()) co_return web::unavailable(answer->message.failure);
  co_return std::move(answer->message.content);
}

// An answer that there is nothing to report is in the task's history only.
web::Task<> tell(notices::Notices& notices, Task task, web::Result<std::string> answer) {
  if (answer && notices::says_nothing(*answer)) co_return;
  notices::Notice notice{.agent = std::move(task.agent), .subject = task.name, .text = {}};
  notice.text = answer ? std::move(*answer) : "The scheduled prompt failed: " + answer.error().message;
  const auto sent = co_await notices.send(task.owner, std::move(notice));
  if (!sent) web::log::warning("run_result_not_told", {{"task", task.id}, {"reason", sent.error().message}});
}

}  // namespace

Teller notice_teller(notices::Notices& notices) {
  return [&notices](Task task, web::Result<std::string> answer) {
    return tell(notices, std::move(task), std::move(answer));
  };
}

Sender chat_sender(store::System system, chat::Chat& chat, MayBuild may_build) {
  return [system, &chat, may_build = std::move(may_build)](Run run, std::string prompt) {
    return send(system, chat, may_build, std::move(run), std::move(prompt));
  };
}

}  // namespace schedule
