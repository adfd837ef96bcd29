#include "appliance/demo/fake_services/inbox.h"

#include "appliance/demo/fake_services/page.h"
#include "web/markup.h"

namespace demo {

namespace json = boost::json;

namespace {

web::Task<web::Result<json::value>> read_outbox(Addresses box) {
  web::FetchRequest request{.url = box.backend + "/api/admin/outbox?limit=200"};
  request.headers.emplace_back("Authorization", "Bearer " + box.internal_key);
  request.reach = web::Reach::own;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  co_return json::parse(answer->body);
}

std::string article(const json::value& mail) {
  const auto text = [&mail](std::string_view pointer) { return web::escape_markup(text_at(mail, pointer)); };
  return "<article><h2>" + text("/subject") + "</h2><p>" + text("/to") + ", " + text("/createdAt") + "</p><pre>" +
         text("/body") + "</pre></article>";
}

web::Answer show(const KnownBox& known) {
  const auto box = known.get();
  if (!box) co_return web::unavailable("The box is not there yet");
  const auto outbox = co_await read_outbox(*box);
  if (!outbox) co_return outbox.error();
  std::string mails;
  for (const auto& mail : outbox->at("mails").as_array()) mails += article(mail);
  co_return page("Inbox", mails.empty() ? "<p>No mail.</p>" : mails);
}

}  // namespace

std::vector<web::Route> inbox(const KnownBox& box) {
  return {row(
      web::GET, "/inbox", [&box](web::Request&) { return show(box); }, "Mails that the box has sent")};
}

}  // namespace demo
