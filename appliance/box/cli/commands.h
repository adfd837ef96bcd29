// The subcommands. They return the exit code, and throw UsageError (exit code 2) with one sentence for errors that the
// caller can fix.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "appliance/box/cli/confirmation.h"
#include "appliance/foundation/settings/load.h"
#include "sandbox/spawn_server.h"

namespace agentbox::cli {

int serve(const Settings&, const SettingSources&);
// Without `box` it opens its own listener and prints its URL on stdout. With the process id of the box that started it,
// it uses the inherited socket (summarizer_child.h) and ends when the box does.
int summarizer(const Settings&, std::optional<pid_t> box);

struct SpawnNames {
  std::filesystem::path connect;  // where the box listens; empty: the helper has been given the socket
  std::string account;            // the box's, by its name; empty: SpawnOptions has it
};
// The helper of a box that has no rights itself. It is started by that box, in its containers, or by the service
// manager; refuses to run otherwise.
int spawn(const sandbox::SpawnOptions&, const SpawnNames&);

struct InitOptions {
  std::string email;
  std::string password;   // empty: a random one, printed once
  bool says_next = true;  // what to run next
};
// Refuses a folder that is already set up. Completes a folder that was only served, and one of an interrupted init.
// Says on `out` what was done.
int init(const Settings&, const InitOptions&, std::ostream& out);

struct SetUpOptions {
  bool is_wanted = false;
  InitOptions admin;  // without an e-mail: the first of ADMIN_EMAILS
};
// Before serve: sets the data folder up if that is wanted, and refuses one that is not. Returns whether it was set up
// now, so that there are new settings.
bool set_up(const Settings&, const SetUpOptions&);

struct BackupOptions {
  std::filesystem::path to;
  bool with_key = false;  // include the master key, in plain text
  std::string acting_as;  // see BoxClient
};
// Goes through the running box if there is one. Contains no plain-text secret unless `with_key` is set.
int backup(const Settings&, const BackupOptions&);

struct RestoreOptions {
  std::string from;                               // a folder, or s3://BUCKET/FOLDER
  std::string at;                                 // of a bucket: RFC 3339; empty: the newest
  std::optional<std::filesystem::path> key_file;  // else AGENTBOX_MASTER_KEY, else the backup's own
};
// Changes nothing unless the key opens the backup.
int restore(const RestoreOptions&, const Settings&);
// Returns 0 if the store is sound, 1 with a line for each finding if it is not, and 3 if it is sound but its log ends
// in the middle of a write.
int verify(const Settings&);

// Puts the store back to where it was before the last upgrade, if that is confirmed. The box must not run.
int rollback(const Settings&, const Confirmation&);

// Prints one line, and one with the way back after an upgrade. Returns 0 if the running box is healthy, 1 if it is not,
// or if none answers within five seconds.
int health(const Settings&);

// Prints the OpenAPI document of one listener (web, backend or summarizer).
int openapi(const std::string& listener);
// Prints the rows of one listener (web or backend), a line each: method, path, guard, rate group with its limit and
// window, summary.
int routes(const std::string& listener);

}  // namespace agentbox::cli
