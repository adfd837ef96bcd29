#include "appliance/foundation/master_key.h"

#include <cstdlib>
#include <sstream>

namespace agentbox {

namespace fs = std::filesystem;

namespace {

fs::path fingerprint_file(const DataFolder& folder) { return folder.path() / "box.fingerprint"; }

}  // namespace

std::optional<fs::path> master_key_credential() {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  std::error_code unknown;
  if (!folder || !fs::exists(fs::path(folder) / "master.key", unknown)) return std::nullopt;
  return fs::path(folder) / "master.key";
}

bool is_master_key_in_folder(const Settings& settings) {
  return settings.master_key.empty() && !master_key_credential();
}

fs::path next_master_key_file(const fs::path& data_folder) { return data_folder / "master.key.new"; }

std::string box_fingerprint(const DataFolder& folder, const Settings& settings) {
  std::istringstream kept(read_folder_file(fingerprint_file(folder)).value_or(std::string()));
  std::string name;
  return kept >> name ? name : key_fingerprint(folder.master_key(settings));
}

void keep_box_fingerprint(const DataFolder& folder, const Settings& settings) {
  write_private_file(fingerprint_file(folder), box_fingerprint(folder, settings) + "\n");
}

}  // namespace agentbox
