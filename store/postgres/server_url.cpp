#include "store/postgres/server_url.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include "store/engine.h"
#include "store/postgres/libpq.h"

namespace store::postgres {
namespace {

namespace fs = std::filesystem;

constexpr auto system_authorities = "/etc/ssl/certs/ca-certificates.crt";

struct Locations {
  std::mutex mutex;  // protects what follows
  std::map<std::string, Location> known;
};
Locations& locations() {
  static Locations all;
  return all;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value;
}

void verify_by_default(Server& server) {
  const auto host = server.value_of("host"), address = server.value_of("hostaddr");
  const bool is_socket = address.empty() && (host.empty() ? !is_set("PGHOST") && !is_set("PGHOSTADDR")
                                                          : host.starts_with('/') || host.starts_with('@'));
  if (server.value_of("sslmode").empty() && !is_set("PGSSLMODE")) {
    if (is_socket) return;
    server.set("sslmode", "verify-full");
  }
  const bool needs_authorities = server.value_of("sslmode").starts_with("verify");
  if (needs_authorities && server.value_of("sslrootcert").empty() && !is_set("PGSSLROOTCERT") &&
      fs::exists(system_authorities))
    server.set("sslrootcert", system_authorities);
}

}  // namespace

std::string Server::value_of(const std::string& keyword) const {
  for (const auto& [name, value] : parameters)
    if (name == keyword) return value;
  return {};
}

void Server::set(const std::string& keyword, std::string value) {
  for (auto& [name, known] : parameters) {
    if (name != keyword) continue;
    known = std::move(value);
    return;
  }
  parameters.emplace_back(keyword, std::move(value));
}

Server read_server_url(const std::string& url) {
  const auto& pq = libpq();
  char* problem = nullptr;
  auto* const options = pq.PQconninfoParse(url.c_str(), &problem);
  if (!options) {
    pq.PQfreemem(problem);  // may quote the password
    throw Unavailable("STORE_URL is not a URL of PostgreSQL: write postgres://user:password@host:port/database");
  }
  Server server;
  for (const auto* option = options; option->keyword; ++option)
    if (option->val && *option->val) server.parameters.emplace_back(option->keyword, option->val);
  pq.PQconninfoFree(options);
  verify_by_default(server);
  auto host = server.value_of("host");
  if (host.empty()) host = server.value_of("hostaddr");
  const auto port = server.value_of("port");
  server.shown = "postgres://" + (host.empty() || host.starts_with('/') ? std::string("local socket") : host) +
                 (port.empty() ? "" : ":" + port) + "/" + server.value_of("dbname");
  const auto add = [&server](const char* keyword, const char* value) {
    if (server.value_of(keyword).empty()) server.set(keyword, value);
  };
  add("fallback_application_name", "agentbox");
  if (server.value_of("host").find(',') != std::string::npos) add("target_session_attrs", "read-write");
  server.set("client_encoding", "UTF8");
  return server;
}

fs::path remember_location(Location location) {
  auto& all = locations();
  const std::lock_guard lock(all.mutex);
  const auto name = location.server.shown;
  all.known.insert_or_assign(name, std::move(location));
  return name;
}

Location recall_location(const fs::path& named) {
  auto& all = locations();
  const std::lock_guard lock(all.mutex);
  const auto found = all.known.find(named.string());
  if (found == all.known.end()) throw Unavailable("no server is known as " + named.string());
  return found->second;
}

bool is_on_server(const fs::path& local) { return fs::exists(local / box_name_file); }

}  // namespace store::postgres
