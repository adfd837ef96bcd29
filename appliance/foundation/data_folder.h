// The data folder: what is in it, and how it is made.
//
//   agentbox.toml   settings, written by init (0600)
//   master.key      32 random bytes in hex: seals secrets at rest (0600)
//   catalogue.json  the model catalogue, in place of the embedded one; only when somebody put it there
//   store/          the store
//   agents/         one folder an agent
//   engine          the name of the engine that ran the agents last
//   endpoints.json  where the running box listens; gone when none runs
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"

namespace agentbox {

class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path path) : path_(std::move(path)) {}

  // Makes the folder (0700) when it is missing. Throws UsageError when it cannot be made or written: it says what
  // `kind` of folder that is and which `flag` names another one.
  void prepare(std::string_view kind = "data folder", std::string_view flag = "--data") const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_file() const { return path_ / config_file_name; }
  std::filesystem::path key_file() const { return path_ / "master.key"; }
  std::filesystem::path catalogue_file() const { return path_ / "catalogue.json"; }
  std::filesystem::path store() const { return path_ / "store"; }
  std::filesystem::path agents() const { return path_ / "agents"; }
  std::filesystem::path engine_note() const { return path_ / "engine"; }
  std::filesystem::path endpoints_file() const { return path_ / "endpoints.json"; }

  // 32 bytes: the setting's, else the key file's, which is made when there is neither a key nor a store yet. Throws
  // UsageError for a bad file and for a store whose key is missing.
  std::string master_key(const Settings&) const;

 private:
  std::filesystem::path path_;
};

// A master key as master.key holds it, in hex. Throw UsageError; reading also for a file that holds something else.
std::string read_key_file(const std::filesystem::path&);
void write_key_file(const std::filesystem::path&, const std::string& master_key);
// Tells two master keys apart without telling anything about either.
std::string key_fingerprint(const std::string& master_key);

// A file that only the owner can read, durable before this returns; an existing one is replaced whole. Throws
// UsageError.
void write_private_file(const std::filesystem::path&, const std::string& content);

}  // namespace agentbox
