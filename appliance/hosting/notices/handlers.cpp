#include "appliance/hosting/notices/handlers.h"

namespace notices {

namespace {

web::Answer send_notice(const Services& services, const web::Request& request, NoticeRequest body) {
  Notice notice{.agent = request.caller.agent, .subject = {}, .text = std::move(body.text)};
  if (body.subject) notice.subject = std::move(*body.subject);
  auto sent = co_await services.notices.send(request.caller.user_id, std::move(notice));
  if (!sent) co_return sent.error();
  const NoticeAnswer answer{
      .messageId = std::move(sent->message), .mailed = sent->is_mailed, .accounts = std::int64_t(sent->accounts)};
  co_return web::reply(answer, 201);
}

constexpr auto description =
    "The text appears in the owner's conversation with the agent, and is sent to the accounts that the owner has "
    "linked "
    "to the agent's channels (`accounts`: how many) and to the owner's verified address if the box has a mail server. "
    "429 with limit and resetsAt beyond 20 a day (UTC).";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agent-notices", guards.agent_token, nullptr,
       web::body<NoticeRequest>(on(send_notice))
           .returns<NoticeAnswer>(201)
           .describe(description)
           .fails({web::Kind::too_many}),
       "Tell the calling agent's owner something"},
  };
}

}  // namespace notices
