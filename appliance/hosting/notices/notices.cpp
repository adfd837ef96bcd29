#include "appliance/hosting/notices/notices.h"

#include <algorithm>

#include "appliance/access/records.h"
#include "appliance/billing/usage/period.h"
#include "web/ascii.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace notices {

namespace {

constexpr std::size_t max_subject_bytes = 100;

store::CounterName count_of(const std::string& agent, store::Time at) {
  return {"notices/" + agent + "/" + usage::Period::day(at).name()};
}

web::Error limit_reached(store::Time at) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "An agent may send " + std::to_string(max_notices_a_day) + " notices a day."};
  error.extra["limit"] = max_notices_a_day;
  error.extra["resetsAt"] = web::iso8601(usage::next_day(at));
  return error;
}

// One line of printable text, as a mail's subject is.
std::string on_one_line(std::string_view text) {
  std::string line(web::utf8_prefix(web::first_line(web::trim(text, web::white_space)), max_subject_bytes));
  std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return line;
}

}  // namespace

bool says_nothing(std::string_view text) {
  auto words = web::lower_case(web::trim(text, " \t\r\n*_`.!\""));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words == "nothing to report";
}

Notices::Notices(store::System system, const agents::AgentDirectory& agents, chat::Chat& chat, mail::Outbox& outbox,
                 const agentbox::Site& site, ChannelSender over_channels)
    : system_(std::move(system)),
      agents_(agents),
      chat_(chat),
      outbox_(outbox),
      site_(site),
      over_channels_(std::move(over_channels)) {}

web::Task<web::Result<Sent>> Notices::send(store::UserId owner, Notice notice) {
  const auto agent = agents_.find(owner, notice.agent);
  if (!agent) co_return web::not_found("No such agent");
  const auto now = store::now();
  auto change = system_.tenant(owner).change();
  change.add(owner, count_of(agent->id, now), 1, max_notices_a_day);
  const auto counted = co_await change.commit();
  if (!counted.ok()) co_return limit_reached(now);

  auto message = co_await chat_.post(owner, agent->id, notice.text);
  if (!message) co_return message.error();
  Sent sent{.message = std::move(message->id)};
  auto text = notice.subject.empty() ? notice.text : "**" + on_one_line(notice.subject) + "**\n\n" + notice.text;
  sent.accounts = co_await over_channels_(owner, agent->id, std::move(text));
  const auto user = system_.get(accounts::users, owner);
  if (!outbox_.is_sending() || !user || !user->value.email_verified || user->value.is_disabled) co_return sent;
  const auto subject = on_one_line(notice.subject.empty() ? notice.text : notice.subject);
  mail::Letter letter{.to = user->value.email,
                      .subject = on_one_line(agent->name) + ": " + subject,
                      .body = notice.text + "\n\n-- \nYour agent " + on_one_line(agent->name) + " sent this notice. " +
                              site_.page_url("/agents/" + agent->id) + "\n"};
  co_await outbox_.post(std::move(letter));
  sent.is_mailed = true;
  co_return sent;
}

}  // namespace notices
