#include "appliance/accounts/sign_in_answer.h"

#include "web/reply.h"

namespace accounts {

web::Task<web::Result<web::Cookie>> start_session(Sessions& signed_in, const web::Request& request, User user) {
  auto before = signed_in.find(request);
  std::string replaced = before ? std::move(before->session_id) : std::string();
  co_return co_await signed_in.start(std::move(user), request.secure, std::move(replaced));
}

web::Task<web::Result<web::Response>> answer_signed_in(Sessions& signed_in, const web::Request& request, User user) {
  const LoggedIn answer{.user = {std::to_string(user.id), user.name}};
  const auto cookie = co_await start_session(signed_in, request, std::move(user));
  if (!cookie) co_return cookie.error();
  co_return web::reply(answer, 200).set("Set-Cookie", web::to_string(*cookie));
}

}  // namespace accounts
