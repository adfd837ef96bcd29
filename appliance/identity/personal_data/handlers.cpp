#include "appliance/identity/personal_data/handlers.h"

#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/user_id.h"
#include "appliance/identity/personal_data/archive.h"

namespace personal_data {

namespace {

// By id or by e-mail.
std::optional<accounts::User> user_named(const Services& services, const std::string& name) {
  if (const auto id = accounts::parse_user_id(name)) return services.accounts.find(*id);
  if (const auto email = agentbox::normalised_email(name)) return services.accounts.find_by_email(*email);
  return std::nullopt;
}

web::Response archive_of(const Services& services, store::UserId user) {
  web::Response response;
  response.content_type = "application/gzip";
  response.set("Content-Disposition", "attachment; filename=\"agentbox-export.tar.gz\"")
      .set("Cache-Control", "no-store");
  response.body = [&data = services.data, &blocking = services.blocking,
                   user](web::StreamWriter& writer) -> web::Task<> {
    Archive archive(
        "agentbox-export", [&writer](std::string bytes) { return writer.write(std::move(bytes)); }, blocking);
    co_await data.write(user, archive);
    co_await archive.finish();
  };
  return response;
}

web::Response answer_of(bool is_erased) {
  const Left answer{.erased = is_erased};
  return web::reply(answer, is_erased ? 200 : 202);
}

}  // namespace

web::Answer export_data(const Services& services, const web::Request& request) {
  auto entry = audit::of_request(request, "data exported", "");
  co_await services.audit.note(std::move(entry));
  co_return archive_of(services, request.caller.user_id);
}

web::Answer export_user(const Services& services, const web::Request& request) {
  const auto user = user_named(services, request.param("user"));
  if (!user) co_return web::not_found("No such user");
  auto entry = audit::entry_by(audit::actor_of(request), "data exported by admin", user->email);
  entry.user_id = user->id;
  co_await services.audit.note(std::move(entry));
  co_return archive_of(services, user->id);
}

web::Answer delete_user(const Services& services, const web::Request& request) {
  const auto user = user_named(services, request.param("user"));
  if (!user) co_return web::not_found("No such user");
  const auto erased = co_await services.departures.leave(audit::actor_of(request), user->id);
  if (!erased) co_return erased.error();
  co_return answer_of(*erased);
}

web::Answer delete_account(const Services& services, const web::Request& request, second_factor::StepUpProof proof) {
  const auto proved = co_await second_factor::step_up(services.accounts, services.sessions, services.factor,
                                                      request.caller, std::move(proof));
  if (!proved) co_return proved.error();
  const auto erased = co_await services.departures.leave(audit::actor_of(request), request.caller.user_id);
  if (!erased) co_return erased.error();
  auto response = answer_of(*erased);
  response.set("Set-Cookie", web::to_string(accounts::Sessions::cleared(request.secure)));
  co_return response;
}

}  // namespace personal_data
