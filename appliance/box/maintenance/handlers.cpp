#include "appliance/box/maintenance/handlers.h"

#include "web/endpoint.h"

namespace maintenance {

web::Task<web::Result<web::Response>> back_up(const Services& services, const web::Request& request,
                                              BackupRequest asked) {
  const std::filesystem::path to(std::string(asked.to));
  const auto allowed = services.backups.check(to, asked.keyFingerprint);
  if (!allowed) co_return allowed.error();
  const auto made = co_await services.backups.make(to);
  if (!made) co_return made.error();
  const auto& failure = *made;
  auto entry = audit::of_request(request, "backup made by admin", to.string());
  if (failure) entry.outcome = *failure;
  co_await services.audit.note(std::move(entry));
  if (failure) co_return web::internal("The backup failed: " + *failure);
  co_return web::reply(BackupMade{.to = to.string()});
}

}  // namespace maintenance
