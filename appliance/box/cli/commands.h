// What each subcommand does once its arguments are read. They return the exit code, and throw UsageError (exit code 2)
// with one sentence for what the caller can mend.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

int serve(const Settings&);
// Alone it listens by itself and says on stdout where. With the process id of the box that started it: on the socket
// the box handed down (summarizer_child.h), for as long as the box lives.
int summarizer(const Settings&, std::optional<pid_t> box);

struct InitOptions {
  std::string email;
  std::string password;  // empty: a random one, printed once
};
// Refuses a folder that has been set up already. One that was only served from, or where an earlier init was cut off,
// is completed.
int init(const Settings&, const InitOptions&);

struct BackupOptions {
  std::filesystem::path to;
  bool with_key = false;  // the master key, in clear
};
// Through the running box when there is one. Holds no secret in clear unless the key is wished for.
int backup(const Settings&, const BackupOptions&);

struct RestoreOptions {
  std::filesystem::path from;
  std::optional<std::filesystem::path> key_file;  // else AGENTBOX_MASTER_KEY, else the backup's own
};
// Touches nothing unless the key opens the backup.
int restore(const RestoreOptions&, const Settings&);
// 0 when all is well, 1 with a line for each finding.
int verify(const Settings&);

// The OpenAPI document of one listener (web or backend) on stdout.
int openapi(const std::string& listener);

}  // namespace agentbox::cli
