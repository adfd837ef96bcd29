// Tables, roles and functions of a store on a server, in the schema `agentbox`.
//
// One table for each family: key, value (the engine's bytes), and for families with owners and the index the owner,
// which the server computes from the key. Roles:
//
//   agentbox_owner   owns the schema and the tables; cannot sign in
//   agentbox_system  reads and writes everything; the box's user is a member
//   agentbox_reader  owns the functions tenant_* that read, and reads one owner's rows; cannot sign in
//   agentbox_writer  owns the functions tenant_* that write, and writes rows of given owners; cannot sign in
//   agentbox_tenant  may call the functions tenant_*, and nothing else
//
// Row-level security is forced on every table. agentbox_reader sees the rows of the owner in the setting
// agentbox.owner, agentbox_writer sees and changes those of the owners in agentbox.owners. The functions set them for
// their transaction: without them every call fails.
//
//   _lease          in the row `box` which box is alone with the store: its name, its epoch, and the number of its last
//                   group of commits; in rows `job/...` which box of several holds a named lease, and the lease's epoch
//   _boxes          boxes that share the store, one row for each epoch: lease, term of the connection that commits,
//                   what it waits for all others to see, what it has seen of that (both from the sequence _reach), and
//                   which box evicted it and has to recover what it left
//   _changes        what each group of their commits has changed (feed.h)
//   _owned_numbers  numbers of tables with owners, in index entries
#pragma once

#include <string>
#include <vector>

#include "store/engine.h"

namespace store::postgres {

// The statements that make all of it, or what is missing of it, for an administrator of the database. `user` is the
// box's, who is created, with the password, if it does not exist. Throws Unavailable for a name that cannot be one.
std::vector<std::string> schema_statements(const std::vector<FamilySpec>&, const std::string& user,
                                           const std::string& password);
// The same as a script for psql.
std::string schema_script(const std::vector<FamilySpec>&, const std::string& user, const std::string& password);

// "agentbox"."name".
std::string table_name(const std::string& family);
// The functions and tables that boxes need which share the store.
inline constexpr auto sharing_schema = {"_boxes", "_changes",   "_join",  "_hold",
                                        "_note",  "_reconnect", "_evict", "_take_named"};
// Of the functions for tenants that each family needs, without the schema: tenant_get_name.
std::vector<std::string> tenant_functions(const std::vector<FamilySpec>&);
// "agentbox"."tenant_get_name".
std::string function_name(const std::string& kind, const std::string& family);
std::string quoted(const std::string& identifier);

}  // namespace store::postgres
