// The data folder: what is in it, and how it is made.
//
//   agentbox.toml   settings, written by init (0600)
//   master.key      32 random bytes in hex: seals secrets at rest (0600)
//   catalogue.json  the model catalogue, replaces the embedded one; optional
//   store/          the store
//   agents/         one folder per agent
//   mcp/            one folder per package with a server of tools for agents (agentbox mcp load); optional
//   engine          the runtime that ran the agents last
//   endpoints.json  the addresses of the running box; removed on shutdown
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/descriptor.h"
#include "appliance/foundation/settings/settings.h"

namespace agentbox {

// Folders of agents/<id> with what is kept of the agent's files: its workspace, and the volumes of a foreign image. The
// rest is written anew at each start.
inline constexpr std::string_view workspace_folder = "workspace", volumes_folder = "volumes";
inline constexpr std::array kept_agent_folders{workspace_folder, volumes_folder};
constexpr bool is_kept_of_agents(std::string_view folder) {
  return folder == workspace_folder || folder == volumes_folder;
}

class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path path) : path_(std::move(path)) {}

  // Creates the folder (0700) if it is missing. Throws UsageError if it cannot be created or written; the message names
  // the `kind` of folder and the `flag` to choose another.
  void prepare(std::string_view kind = "data folder", std::string_view flag = "--data") const;

  // Throws UsageError if there is no store in it.
  void require_box() const;

  // For a folder in which a command puts secrets: throws UsageError if another user than this one and root owns it or
  // may write in it. The message names the `flag` to choose another.
  void require_trusted(std::string_view flag) const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_file() const { return path_ / config_file_name; }
  std::filesystem::path key_file() const { return path_ / "master.key"; }
  std::filesystem::path catalogue_file() const { return path_ / "catalogue.json"; }
  std::filesystem::path store() const { return path_ / "store"; }
  std::filesystem::path agents() const { return path_ / "agents"; }
  std::filesystem::path workspace(std::string_view agent) const { return agents() / agent / workspace_folder; }
  std::filesystem::path packages() const { return path_ / "mcp"; }
  std::filesystem::path engine_note() const { return path_ / "engine"; }
  std::filesystem::path endpoints_file() const { return path_ / "endpoints.json"; }

  // 32 bytes, from the setting, else from the key file, which is created if there is neither a key nor a store. Throws
  // UsageError for an invalid file and for a store without its key.
  std::string master_key(const Settings&) const;

 private:
  std::filesystem::path path_;
};

// Reads and writes a master key in hex, the format of master.key. All throw UsageError, reading also for an invalid
// file. read_own_key_file is for the key in a data folder or a backup (see read_folder_file), and read_key_file for one
// that the caller names, which may be a pipe.
std::string read_own_key_file(const std::filesystem::path&);
std::string read_key_file(const std::filesystem::path&);
void write_key_file(const std::filesystem::path&, const std::string& master_key);
// Distinguishes master keys without revealing anything about them.
std::string key_fingerprint(const std::string& master_key);

// Opens `name` directly in a folder; O_CLOEXEC and O_NONBLOCK are added to the flags of open(2), so that a pipe does
// not block. In a folder of another user than this process's and root no link is followed: its owner may be
// compromised, and must not lead root elsewhere. Empty, and errno, on failure.
files::Descriptor open_in_folder(const std::filesystem::path& folder, const std::string& name, int flags);
// The content of a file directly in its folder, under the same rules; nothing if it is missing. Throws UsageError if it
// cannot be read, is not a regular file, is larger than 16 MB, or is in another user's folder and of a third user.
std::optional<std::string> read_folder_file(const std::filesystem::path&);

// Writes a file that only its owner can read, durably and atomically. Throws UsageError.
void write_private_file(const std::filesystem::path&, const std::string& content);

}  // namespace agentbox
