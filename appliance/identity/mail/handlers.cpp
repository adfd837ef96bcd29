#include "appliance/identity/mail/handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace mail {

namespace {

constexpr std::size_t default_page = 20;

MailView view(Mail mail) {
  return {std::to_string(mail.id), std::move(mail.to),      std::move(mail.subject), std::move(mail.body.clear),
          mail.delivery,           std::move(mail.problem), mail.created_at};
}

web::Answer list_mails(const Services& services, const web::Request&, ListQuery query) {
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_page;
  auto read = [&outbox = services.outbox, limit] {
    MailList answer;
    for (auto& mail : outbox.list(limit)) answer.mails.push_back(view(std::move(mail)));
    return answer;
  };
  const auto answer = co_await web::offload(services.blocking, std::move(read));
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/outbox", guards.backend.users_secrets, nullptr,
       web::query<ListQuery>(on(list_mails)).returns<MailList>(), "Mails of the last seven days, newest first"},
  };
}

}  // namespace mail
