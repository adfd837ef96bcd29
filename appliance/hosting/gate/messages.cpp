#include "appliance/hosting/gate/messages.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/hosting/gate/gate.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace gate {

namespace {

constexpr std::size_t max_result_bytes = 24 * 1024, max_subject_bytes = 100, max_act_bytes = 8 * 1024;

std::string one_line(std::string_view text, std::size_t bytes) {
  return std::string(web::utf8_prefix(in_one_line(text), bytes));
}

std::string outcome_of(const Ask& ask) {
  switch (ask.state) {
    case State::refused:
      return "Your owner refused this. Do not try to reach the same by another way.";
    case State::expired:
      return "Your owner did not answer in time, so it was not done. Ask again only if it still matters.";
    case State::failed:
      return "Your owner allowed this, but it failed: " + ask.failure;
    case State::unknown:
      return "Your owner allowed this. " + ask.failure;
    default:
      return "Your owner allowed this, and it was done. Result: " +
             std::string(web::utf8_prefix(boost::json::serialize(ask.result), max_result_bytes));
  }
}

}  // namespace

std::string in_one_line(std::string_view text) {
  std::string line(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::ranges::replace_if(line, is_control, ' ');
  return line;
}

std::string shown_act(const Ask& ask, std::size_t max_bytes) {
  auto text = boost::json::serialize(ask.act);
  const auto shown = web::utf8_prefix(text, max_bytes);
  if (shown.size() == text.size()) return text;
  return std::string(shown) + "\n(" + std::to_string(text.size() - shown.size()) +
         " bytes more: look at all of it in the console before you allow it.)";
}

boost::json::object waiting_answer(const Ask& ask) {
  boost::json::object answer{{"state", boost::describe::enum_to_string(ask.state, "")},
                             {"askId", ask.id},
                             {"expiresAt", web::iso8601(ask.expires_at)}};
  if (ask.state != State::waiting && ask.state != State::allowed && ask.state != State::running) {
    answer["message"] = outcome_of(ask);
    return answer;
  }
  answer["message"] =
      "Not done yet: this needs your owner's permission, which has been asked for. Do not repeat the call. End your "
      "turn "
      "and say what waits; this conversation goes on with the result once your owner has answered.";
  return answer;
}

std::string message_to_agent(const Ask& ask) {
  auto text = "[agentbox] About " + ask.id + ": " + in_one_line(ask.title) + "\n" + outcome_of(ask);
  if (!ask.note.empty()) text += "\nYour owner adds: " + ask.note;
  return text + "\nGo on with the task.";
}

mail::Letter letter_about(const Ask& ask, std::string address, const std::string& link) {
  auto body = "An agent of yours asks for permission:\n\n" + in_one_line(ask.title) + "\n\nExactly:\n" +
              shown_act(ask, max_act_bytes) + "\n";
  if (!ask.reason.empty())
    body += "\nThe agent's own words, which may be wrong or another's: \"" + in_one_line(ask.reason) + "\"\n";
  if (!ask.sources.empty()) {
    body += "\nThe agent has read texts that are not yours:";
    for (const auto& source : ask.sources) body += " " + in_one_line(source) + ";";
    body.back() = '.';
    body += "\n";
  }
  body += "\nTo allow or refuse it, open this page; opening it decides nothing:\n" + link +
          "\n\nWithout an answer it is not done. The question expires at " + web::iso8601(ask.expires_at) + ".\n";
  return {.to = std::move(address),
          .subject = "Permission: " + one_line(ask.title, max_subject_bytes),
          .body = std::move(body)};
}

}  // namespace gate
