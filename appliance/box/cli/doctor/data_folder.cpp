#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "appliance/box/cli/doctor/checks.h"
#include "appliance/box/crash_record.h"
#include "appliance/foundation/data_folder.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

// A file that only `owner` may read.
Finding check_private(const std::string& check, const fs::path& path, const struct stat& status, uid_t owner) {
  if (status.st_uid != owner)
    return {check, Level::problem,
            path.string() + " belongs to user " + std::to_string(status.st_uid) + ", and not to " +
                std::to_string(owner) + ", as the data folder",
            "chown " + std::to_string(owner) + " " + path.string()};
  if ((status.st_mode & 077) != 0)
    return {check, Level::problem, path.string() + " has mode " + octal(status.st_mode) + ": other users can reach it",
            "chmod 600 " + path.string()};
  return {check, Level::ok, path.string() + " is private", {}};
}

Finding check_key(const DataFolder& folder, const Settings& settings, uid_t owner) {
  const std::string check = "master key";
  struct stat status {};
  if (::lstat(folder.key_file().c_str(), &status) == 0) {
    auto finding = check_private(check, folder.key_file(), status, owner);
    if (finding.level != Level::ok || !settings.master_key.empty()) return finding;
    try {
      read_own_key_file(folder.key_file());
    } catch (const UsageError& error) {
      return {check, Level::problem, error.what(), "put the original file back: without it the store cannot be opened"};
    }
    return finding;
  }
  if (!settings.master_key.empty()) return {check, Level::ok, "it is in AGENTBOX_MASTER_KEY", {}};
  return {check, Level::problem, folder.key_file().string() + " is missing",
          "put it back, or set AGENTBOX_MASTER_KEY: without it the store cannot be opened"};
}

// It stays a warning until the file is moved away.
Finding describe(const std::vector<Crash>& crashes) {
  const auto& newest = crashes.front();
  std::string found = "the box crashed (" + newest.signal + "), recorded " + newest.at;
  if (!newest.lastRequest.empty()) found += "; its last request was " + newest.lastRequest;
  for (const auto& request : newest.alsoBefore) found += "; " + request + " was in progress at the crash before, too";
  if (crashes.size() > 1) found += "; " + std::to_string(crashes.size()) + " crashes are recorded";
  return {"crashes", Level::warning, std::move(found),
          "crashes.json in the data folder has the stacks: send it, or agentbox doctor --bundle FILE, to support, and "
          "move it away"};
}

}  // namespace

Findings check_data_folder(const Settings& settings) {
  const DataFolder folder(settings.data);
  const std::string check = "data folder", path = folder.path().string();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return {{check, Level::problem, path + " does not exist",
             "name it with --data, or set it up: agentbox init --data " + path + " --email ADDRESS"}};
  if (!S_ISDIR(status.st_mode)) return {{check, Level::problem, path + " is not a folder", "name another with --data"}};
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0)
    return {{check, Level::problem, path + " cannot be read and written by user " + std::to_string(::geteuid()),
             "run the box, and this command, as the user that owns it"}};
  const uid_t owner = status.st_uid;  // of a box with RUN_AS another user than root, who may ask
  Findings findings;
  if ((status.st_mode & 066) != 0)
    findings.push_back({check, Level::warning, path + " has mode " + octal(status.st_mode), "chmod 700 " + path});
  else
    findings.push_back({check, Level::ok, path + " is private and writable", {}});
  if (!fs::exists(folder.store())) {
    findings.push_back({"store", Level::note, "there is none yet", "the first agentbox init or serve makes it"});
    return findings;
  }
  findings.push_back(check_key(folder, settings, owner));
  if (::lstat(folder.config_file().c_str(), &status) == 0)
    findings.push_back(check_private("settings file", folder.config_file(), status, owner));
  if (settings.internal_api_key.empty())
    findings.push_back({"internal key", Level::warning, "INTERNAL_API_KEY is not set: the backend answers 500",
                        "set internal_api_key in " + folder.config_file().string()});
  if (const auto crashes = recorded_crashes(folder); !crashes.empty()) findings.push_back(describe(crashes));
  return findings;
}

}  // namespace agentbox::cli::doctor
