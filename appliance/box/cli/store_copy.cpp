#include "appliance/box/cli/store_copy.h"

#include <sys/stat.h>

#include <chrono>

#include "appliance/box/cli/exchange.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours backup_timeout{1};
constexpr auto exchanged_name = "store";
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
    box.call("POST", "/api/admin/backup", body, backup_timeout);
    return true;
  } catch (const BoxRefusal& refusal) {
    if (refusal.code == maintenance::folder_not_reached) return false;
    throw;
  }
}

class StoreReader {
 public:
  StoreReader(const Exchange& exchange, fs::path existing) : exchange_(exchange), existing_(std::move(existing)) {}

  // `existing_`: an earlier backup, perhaps, whose tables are linked instead of copied.
  void copy(const files::Descriptor& folder, const fs::path& under, const fs::path& to) const {
    fs::create_directory(to);
    fs::permissions(to, fs::perms::owner_all);
    for (const auto& entry : files::entries_in(folder)) {
      if (entry.kind == files::EntryKind::folder)
        copy(exchange_.open_folder(entry.name, &folder), under / entry.name, to / entry.name);
      else
        copy_or_link(exchange_.open_file(entry.name, &folder), under / entry.name, to / entry.name);
    }
  }

 private:
  void copy_or_link(const files::Descriptor& from, const fs::path& path, const fs::path& to) const {
    struct stat info {};
    std::error_code none;
    const auto have = existing_ / path;
    if (*path.begin() == shared_tables && ::fstat(from.get(), &info) == 0 &&
        fs::file_size(have, none) == static_cast<std::uintmax_t>(info.st_size) && !none) {
      fs::create_hard_link(have, to, none);
      if (!none) return;
    }
    copy_durably(from, to);
  }

  const Exchange& exchange_;
  const fs::path existing_;
};

void replace(const Exchange& exchange, const std::string& name, const fs::path& to) {
  const auto next = fs::path(to).concat(".new"), before = fs::path(to).concat(".old");
  fs::remove_all(next);
  StoreReader(exchange, to).copy(exchange.open_folder(name), {}, next);
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
  body["to"] = exchange.file(exchanged_name).string();
  box.call("POST", "/api/admin/backup", body, backup_timeout);
  replace(exchange, exchanged_name, to);
}

void copy_store_through(const DataFolder& folder, const std::function<void(const fs::path& to)>& back_up,
                        const fs::path& to) {
  const Exchange exchange(folder);
  run_as_owner(folder, [&] { back_up(exchange.file(exchanged_name)); });
  replace(exchange, exchanged_name, to);
}

}  // namespace agentbox::cli
