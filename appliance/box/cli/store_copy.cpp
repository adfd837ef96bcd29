#include "appliance/box/cli/store_copy.h"

#include <chrono>

#include "appliance/box/cli/exchange.h"
#include "appliance/foundation/crypto/random.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours longest{1};
constexpr auto shared_tables =
    "shared_checksum";  // of RocksDB's backups: never changed, with a checksum in their names

// A file beside the target that the box has to see.
class Proof {
 public:
  explicit Proof(const fs::path& target) : path_(target.parent_path() / (".seen-" + crypto::random_hex(8))) {
    write_private_file(path_, "");
  }
  ~Proof() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Proof(const Proof&) = delete;
  Proof& operator=(const Proof&) = delete;
  std::string name() const { return path_.filename().string(); }

 private:
  const fs::path path_;
};

bool is_written_by_box(const BoxClient& box, boost::json::object body, const fs::path& to) {
  const Proof proof(to);
  body["to"] = to.string();
  body["proof"] = proof.name();
  try {
    box.call("POST", "/api/admin/backup", body, longest);
    return true;
  } catch (const UsageError&) {  // whatever it is: if it is not about the folder, the second way fails with it, too
    return false;
  }
}

// `have`: the same file of an earlier backup, perhaps.
void copy_or_link(const fs::path& from, const fs::path& to, const fs::path& have) {
  std::error_code none;
  if (fs::file_size(have, none) == fs::file_size(from) && !none) {
    fs::create_hard_link(have, to, none);
    if (!none) return;
  }
  copy_durably(from, to);
}

void replace(const fs::path& backup, const fs::path& to) {
  const auto next = fs::path(to).concat(".new"), before = fs::path(to).concat(".old");
  fs::remove_all(next);
  fs::create_directories(next);
  fs::permissions(next, fs::perms::owner_all);
  for (const auto& entry : fs::recursive_directory_iterator(backup)) {
    const auto path = entry.path().lexically_relative(backup);
    if (entry.is_directory())
      fs::create_directory(next / path);
    else
      copy_or_link(entry.path(), next / path, *path.begin() == shared_tables ? to / path : fs::path());
  }
  fs::remove_all(before);
  if (fs::exists(to)) fs::rename(to, before);
  fs::rename(next, to);
  fs::remove_all(before);
}

}  // namespace

void copy_store_of(const BoxClient& box, const DataFolder& folder, const std::string& master_key, const fs::path& to) {
  boost::json::object body{{"keyFingerprint", key_fingerprint(master_key)}};
  if (is_written_by_box(box, body, to)) return;
  const Exchange exchange(folder);
  const auto backup = exchange.file("store");
  body["to"] = backup.string();
  box.call("POST", "/api/admin/backup", body, longest);
  replace(backup, to);
}

}  // namespace agentbox::cli
