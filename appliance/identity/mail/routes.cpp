#include "appliance/identity/mail/routes.h"

#include "web/endpoint.h"

namespace mail {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit))

struct MailView {
  std::string id, to, subject, body;
  Delivery delivery;
  std::string problem;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(MailView, (), (id, to, subject, body, delivery, problem, createdAt))

struct MailList {
  std::vector<MailView> mails;
};
BOOST_DESCRIBE_STRUCT(MailList, (), (mails))

}  // namespace

std::vector<web::Route> admin_routes(Outbox& outbox, boost::asio::thread_pool& blocking,
                                     const agentbox::Guards& guards) {
  const auto list = [&outbox, &blocking](web::Request&, ListQuery query) -> Answer {
    const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : 20);
    auto read = [&outbox, limit] {
      MailList answer;
      for (auto& mail : outbox.list(limit))
        answer.mails.push_back({std::to_string(mail.id), mail.to, mail.subject, mail.body.clear, mail.delivery,
                                mail.problem, mail.created_at});
      return answer;
    };
    const auto answer = co_await web::offload(blocking, std::move(read));
    co_return web::reply(answer, 200);
  };
  return {{web::GET, "/api/admin/outbox", guards.internal_key, nullptr, web::query<ListQuery>(list).returns<MailList>(),
           "Mails of the last seven days, newest first"}};
}

}  // namespace mail
