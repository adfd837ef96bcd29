#include "appliance/identity/personal_data/handlers.h"

#include "appliance/identity/personal_data/archive.h"

namespace personal_data {

web::Answer export_data(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
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
  auto entry = audit::of_request(request, "data exported", "");
  co_await services.audit.note(std::move(entry));
  co_return response;
}

web::Answer delete_account(const Services& services, const web::Request& request, second_factor::StepUpProof proof) {
  const auto proved = co_await second_factor::step_up(services.accounts, services.sessions, services.factor,
                                                      request.caller, std::move(proof));
  if (!proved) co_return proved.error();
  const auto erased = co_await services.departures.leave(audit::actor_of(request), request.caller.user_id);
  if (!erased) co_return erased.error();
  const Left answer{.erased = *erased};
  auto response = web::reply(answer, *erased ? 200 : 202);
  response.set("Set-Cookie", web::to_string(accounts::Sessions::cleared(request.secure)));
  co_return response;
}

}  // namespace personal_data
