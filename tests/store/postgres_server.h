// A PostgreSQL server of this test program's own, from Debian's package, in a temporary folder. It ends with the
// program.
#pragma once

#include <filesystem>
#include <string>

#include "store/engine.h"
#include "store/postgres/server_url.h"

namespace store_test {

// Opens each folder as a database of its own on that server, made the first time.
extern const store::EngineKind postgres_test_engine;

// Whether the server's programs are installed.
bool has_postgres();

class PostgresServer {
 public:
  // Started when it is used first.
  static PostgresServer& instance();

  // As the server's administrator.
  store::postgres::Server administrator(const std::string& database) const;
  // As the box's user, to the database of that folder.
  store::postgres::Location location(const std::filesystem::path& folder,
                                     const std::vector<store::FamilySpec>& families);
  // Ends at once, as by kill -9, and starts again.
  void kill();
  void start();

 private:
  PostgresServer();
  ~PostgresServer();
  struct Impl;
  Impl* const impl_;
};

}  // namespace store_test
