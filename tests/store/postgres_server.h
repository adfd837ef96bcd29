// A PostgreSQL server of this test program's own, from Debian's package, in a temporary folder. It ends with the
// program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "store/engine.h"
#include "store/postgres/connection.h"

namespace store_test {

// Opens each folder as a database of its own on that server, made the first time.
extern const store::EngineKind postgres_test_engine;
// The same as one of several boxes: each open is another one.
extern const store::EngineKind shared_postgres_test_engine;

// Whether the server's programs are installed.
bool has_postgres();

class PostgresServer {
 public:
  // Started when it is used first.
  static PostgresServer& instance();

  // As the server's administrator.
  store::postgres::Server administrator(const std::string& database) const;
  // As the administrator who takes the role.
  std::unique_ptr<store::postgres::Connection> as_role(const std::string& role, const store::postgres::Location&) const;
  // As the box's user, to the database of that folder.
  store::postgres::Location location(const std::filesystem::path& folder,
                                     const std::vector<store::FamilySpec>& families);
  // Ends at once, as by kill -9, and starts again.
  void kill();
  void start();

  // A synchronous standby of the server, as far as commits can tell. Ends with this.
  class Standby {
   public:
    explicit Standby(PostgresServer&);
    ~Standby();
    void pause() const;
    void resume() const;

   private:
    PostgresServer& server_;
    int process_;
  };

 private:
  PostgresServer();
  ~PostgresServer();
  void as_administrator(const std::string& sql) const;
  struct Impl;
  Impl* const impl_;
};

}  // namespace store_test
