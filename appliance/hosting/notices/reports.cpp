#include "appliance/hosting/notices/reports.h"

#include "appliance/hosting/gate/messages.h"
#include "appliance/hosting/notices/wording.h"
#include "appliance/runtime/watchdog/notifier.h"

namespace notices {

namespace {

constexpr std::string_view questions_page = "/asks#";
constexpr std::size_t max_act_bytes = 1'000;

}  // namespace

Report question_report(const gate::Ask& ask, const std::string& link) {
  auto letter = gate::letter_about(ask, {}, link);
  return {.kind = Kind::question,
          .agent = ask.agent,
          .is_urgent = true,
          .subject = "May I do this?",
          .text = gate::in_one_line(ask.title) + "\n\n" + gate::shown_act(ask, max_act_bytes),
          .path = std::string(questions_page) + ask.id,
          .mail_subject = std::move(letter.subject),
          .mail_body = std::move(letter.body)};
}

std::string question_of(std::string_view path) {
  return path.starts_with(questions_page) ? std::string(path.substr(questions_page.size())) : std::string();
}

Report health_report(const watchdog::Target& agent, watchdog::Notice notice, const std::string& why) {
  return {.kind = Kind::health,
          .agent = agent.id,
          .is_urgent = notice == watchdog::Notice::crash_loop,
          .subject = {},
          .text = "The agent " + on_one_line(agent.name) + " " + watchdog::sentence_of(notice, why),
          .path = "/agents/" + agent.id + "/health"};
}

Report limit_report(const usage::Call& call, const web::Error& error) {
  return {.kind = Kind::limit,
          .agent = call.agent,
          .is_urgent = true,
          .subject = "A limit was reached",
          .text = error.message + ".",
          .path = "/usage/limits"};
}

}  // namespace notices
