// What an administrator does with a store on a server: make its schema, and look whether it is as it should be.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/postgres/server_url.h"

namespace store::postgres {

// Makes what is missing, in one transaction. Blocks for a minute at most. Throws Unavailable.
void make_schema(const Server& as_administrator, const std::vector<FamilySpec>&, const std::string& user,
                 const std::string& password);

struct Inspection {
  std::string version;  // "15.14"
  std::chrono::microseconds round_trip{};
  int max_connections = 0;
  std::vector<std::string> missing_tables, missing_functions;
  std::vector<std::string> unprotected_tables;  // row-level security is not forced
  std::vector<std::string> foreign_rights;      // tables that agentbox_tenant has rights on
  bool ignores_row_security = false;            // the user is a superuser, or may bypass row-level security
  bool is_system = false;                       // the user is a member of agentbox_system
  bool loses_commits = false;                   // fsync or full_page_writes is off
  std::string holder;                           // of the lease, if a box runs: its machine and process
};
// Throws Unavailable.
Inspection inspect(const Server&, const std::vector<FamilySpec>&);

}  // namespace store::postgres
