#include "tests/store/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "store/postgres/administration.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_engine.h"
#include "tests/support/temporary_folder.h"

namespace store_test {
namespace postgres_server {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using store::postgres::Clock;

// The newest version's, or nothing.
fs::path programs() {
  const fs::path all = "/usr/lib/postgresql";
  for (const auto* version : {"18", "17", "16", "15"})
    if (fs::exists(all / version / "bin/initdb")) return all / version / "bin";
  return {};
}

// PostgreSQL refuses to run as root.
void become_postgres() {
  if (::geteuid() != 0) return;
  const auto* const user = ::getpwnam("postgres");
  if (!user || ::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0) ::_exit(126);
}

pid_t spawn(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const auto parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  become_postgres();
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // after the change of user, which forgets it
  if (::getppid() != parent) ::_exit(125);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int descriptor : {0, 1, 2}) ::dup2(nowhere, descriptor);
  ::execv(pointers.front(), pointers.data());
  ::_exit(127);
}

void succeed(std::vector<std::string> arguments) {
  const auto name = arguments.front();
  const auto child = spawn(std::move(arguments));
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error(name + " failed");
}

}  // namespace postgres_server

using namespace postgres_server;

struct PostgresServer::Impl {
  test_support::TemporaryFolder folder;
  pid_t process = -1;
  std::mutex mutex;                              // protects what follows
  std::map<std::string, std::string> databases;  // by folder
};

bool has_postgres() { return !programs().empty() && (::geteuid() != 0 || ::getpwnam("postgres") != nullptr); }

PostgresServer& PostgresServer::instance() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() : impl_(new Impl) {
  const auto path = impl_->folder.path();
  if (::geteuid() == 0) {
    const auto* const user = ::getpwnam("postgres");
    if (::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown failed");
  }
  succeed({programs() / "initdb", "-D", path / "data", "-U", "admin", "-A", "trust", "--no-sync", "-E", "UTF8",
           "--locale=C"});
  start();
}

PostgresServer::~PostgresServer() {
  kill();
  delete impl_;
}

void PostgresServer::start() {
  const auto path = impl_->folder.path().string();
  const auto run = [&] {
    return spawn({programs() / "postgres", "-D", path + "/data", "-k", path, "-c", "listen_addresses=", "-c",
                  "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=200"});
  };
  impl_->process = run();
  for (const auto deadline = Clock::now() + 60s;; std::this_thread::sleep_for(20ms)) try {
      // Processes of a server that was killed may still be leaving.
      if (::waitpid(impl_->process, nullptr, WNOHANG) == impl_->process) impl_->process = run();
      const store::postgres::Connection answers(administrator("postgres"), 1s, Clock::now() + 5s);
      return;
    } catch (const std::exception& error) {
      if (Clock::now() > deadline) throw std::runtime_error(std::string("postgres does not start: ") + error.what());
    }
}

void PostgresServer::kill() {
  ::kill(impl_->process, SIGKILL);
  ::waitpid(impl_->process, nullptr, 0);
  fs::remove(impl_->folder.path() / "data/postmaster.pid");
}

void PostgresServer::as_administrator(const std::string& sql) const {
  const store::postgres::Statement statement{"", sql};
  store::postgres::Connection(administrator("postgres"), 60s, Clock::now() + 10s)
      .run(store::postgres::Call{&statement}, Clock::now() + 60s);
}

PostgresServer::Standby::Standby(PostgresServer& server) : server_(server) {
  const auto path = server.impl_->folder.path();
  fs::create_directories(path / "standby");
  if (const auto* const user = ::getpwnam("postgres"); ::geteuid() == 0)
    if (::chown((path / "standby").c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown failed");
  process_ = spawn({programs() / "pg_receivewal", "-D", path / "standby", "-d",
                    "host=" + path.string() + " user=admin application_name=standby", "--synchronous", "--no-loop"});
  server.as_administrator("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  server.as_administrator("SELECT pg_reload_conf()");
}

PostgresServer::Standby::~Standby() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  server_.as_administrator("ALTER SYSTEM RESET synchronous_standby_names");
  server_.as_administrator("SELECT pg_reload_conf()");
}

void PostgresServer::Standby::pause() const { ::kill(process_, SIGSTOP); }
void PostgresServer::Standby::resume() const { ::kill(process_, SIGCONT); }

store::postgres::Server PostgresServer::administrator(const std::string& database) const {
  return store::postgres::read_server_url("postgres://admin@/" + database + "?host=" + impl_->folder.path().string());
}

std::unique_ptr<store::postgres::Connection> PostgresServer::as_role(const std::string& role,
                                                                     const store::postgres::Location& location) const {
  const auto database = location.server.value_of("dbname");
  auto connection = std::make_unique<store::postgres::Connection>(administrator(database), 10s, Clock::now() + 10s);
  const store::postgres::Statement become{"", "SET ROLE " + role};
  connection->run(store::postgres::Call{&become}, Clock::now() + 10s);
  return connection;
}

store::postgres::Location PostgresServer::location(const fs::path& folder,
                                                   const std::vector<store::FamilySpec>& families) {
  const std::lock_guard lock(impl_->mutex);
  auto& name = impl_->databases[folder.string()];
  if (name.empty()) {
    name = "test" + std::to_string(impl_->databases.size());
    as_administrator("CREATE DATABASE " + name);
    store::postgres::make_schema(administrator(name), families, "box", "");
  }
  auto server = administrator(name);
  server.set("user", "box");
  return {.server = std::move(server), .local = folder};
}

const store::EngineKind postgres_test_engine{
    .open = [](store::EngineOptions options) -> std::unique_ptr<store::Engine> {
      return store::PostgresEngine::open(options,
                                         PostgresServer::instance().location(options.folder, options.families));
    },
    .restore = store::postgres_engine.restore};

const store::EngineKind shared_postgres_test_engine{
    .open = [](store::EngineOptions options) -> std::unique_ptr<store::Engine> {
      static std::atomic<int> boxes = 0;
      auto location = PostgresServer::instance().location(options.folder, options.families);
      location.local = options.folder / ("box" + std::to_string(++boxes));
      if (!options.sharing) options.sharing.emplace();
      options.sharing->may_lose = true;
      return store::PostgresEngine::open(options, location);
    },
    .restore = store::postgres_engine.restore};

}  // namespace store_test
