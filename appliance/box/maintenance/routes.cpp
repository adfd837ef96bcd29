#include "appliance/box/maintenance/routes.h"

#include <atomic>
#include <filesystem>
#include <memory>

#include "web/endpoint.h"

namespace maintenance {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct Backup {
  web::Text<1, 4096> to;
  std::optional<web::Text<64, 64>> keyFingerprint;
};
BOOST_DESCRIBE_STRUCT(Backup, (), (to, keyFingerprint))

struct BackedUp {
  bool success = true;
  std::string to;
};
BOOST_DESCRIBE_STRUCT(BackedUp, (), (success, to))

}  // namespace

std::vector<web::Route> routes(const Parts& parts) {
  // Set while one is made: two in one folder would take each other's files away.
  const auto at_work = std::make_shared<std::atomic<bool>>(false);
  auto back_up = [parts, at_work](web::Request& request, Backup wanted) -> Answer {
    const std::filesystem::path to(std::string(wanted.to));
    if (!to.is_absolute()) co_return web::invalid("to must be an absolute path on the box");
    if (wanted.keyFingerprint && *wanted.keyFingerprint != parts.key_fingerprint) {
      co_return web::conflict(
          "the master key is not the one the box runs with: use its master.key or AGENTBOX_MASTER_KEY");
    }
    if (at_work->exchange(true)) co_return web::conflict("A backup is being made already: ask again when it is done.");
    auto copy = [&store = parts.store, to, at_work]() -> std::optional<std::string> {
      std::optional<std::string> failure;
      try {
        store.backup(to);
      } catch (const std::exception& error) {
        failure = error.what();
      }
      *at_work = false;
      return failure;
    };
    const auto failure = co_await web::offload(parts.blocking, std::move(copy));
    auto entry = audit::of_request(request, "backup made by admin", to.string());
    if (failure) entry.outcome = *failure;
    co_await parts.audit.note(std::move(entry));
    if (failure) co_return web::internal("The backup failed: " + *failure);
    const BackedUp answer{.to = to.string()};
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/admin/backup", parts.guards.internal_key, nullptr,
       web::body<Backup>(back_up).returns<BackedUp>().describe(
           "`to` is an absolute path of the box's own file system. Online, and incremental when it holds a backup. "
           "With "
           "`keyFingerprint`, 409 unless the store is sealed under the master key of that fingerprint; 409 also while "
           "another backup is made."),
       "Back up the store"}};
}

}  // namespace maintenance
