#include "appliance/maintenance/routes.h"

#include <filesystem>

#include "web/endpoint.h"

namespace maintenance {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct Backup {
  web::Text<1, 4096> to;
};
BOOST_DESCRIBE_STRUCT(Backup, (), (to))

struct BackedUp {
  bool success = true;
  std::string to;
};
BOOST_DESCRIBE_STRUCT(BackedUp, (), (success, to))

}  // namespace

std::vector<web::Route> routes(store::Store& store, boost::asio::thread_pool& blocking,
                               const agentbox::Guards& guards) {
  auto back_up = [&store, &blocking](web::Request&, Backup wanted) -> Answer {
    const std::filesystem::path to(std::string(wanted.to));
    if (!to.is_absolute()) co_return web::invalid("to must be an absolute path on the box");
    auto copy = [&store, to]() -> std::optional<std::string> {
      try {
        store.backup(to);
        return std::nullopt;
      } catch (const std::exception& error) {
        return error.what();
      }
    };
    const auto failure = co_await web::offload(blocking, std::move(copy));
    if (failure) co_return web::internal("The backup failed: " + *failure);
    const BackedUp answer{.to = to.string()};
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/admin/backup", guards.internal_key, nullptr,
       web::body<Backup>(back_up).returns<BackedUp>().describe(
           "`to` is an absolute path of the box's own file system. Online, and incremental when it holds a backup."),
       "Back up the store"}};
}

}  // namespace maintenance
