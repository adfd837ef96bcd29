// Where a store on a server is.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace store::postgres {

// What libpq connects with, and how messages name it: host and database, without credentials.
struct Server {
  std::vector<std::pair<std::string, std::string>> parameters;  // libpq's keywords and values
  std::string shown;

  // Empty if there is none.
  std::string value_of(const std::string& keyword) const;
  void set(const std::string& keyword, std::string value);
};

// Reads postgres://... with what PGPASSFILE and the other variables of libpq add when connecting. Connections over a
// network verify the server's certificate and name, unless the URL or PGSSLMODE says otherwise. Throws Unavailable.
Server read_server_url(const std::string& url);

// A box's store on a server, and the folder of this machine that identifies the box: it is locked while the store is
// open for writing, and its file `postgres` holds the box's random name.
struct Location {
  Server server;
  std::filesystem::path local;
};

// Remembers a location in this process, and returns the EngineOptions::folder that names it, without secrets.
std::filesystem::path remember_location(Location);
// Throws Unavailable.
Location recall_location(const std::filesystem::path& named);

// Whether the local folder belongs to a box whose store is on a server.
bool is_on_server(const std::filesystem::path& local);
constexpr auto box_name_file = "postgres";

}  // namespace store::postgres
