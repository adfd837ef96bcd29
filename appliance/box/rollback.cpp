#include "appliance/box/rollback.h"

#include <ctime>
#include <fstream>

#include "appliance/foundation/version.h"
#include "store/checkpoint.h"
#include "store/store.h"
#include "web/routes/reply.h"

namespace agentbox {

namespace {

namespace fs = std::filesystem;

fs::path note_of(const DataFolder& folder) { return folder.path() / "store.schema"; }
fs::path kept_folder(const DataFolder& folder) { return folder.path() / "rollback"; }

struct Note {
  std::uint32_t schema = 0;
  std::string version;
  std::string at;  // only of a kept store
};

Note read_note(const fs::path& file) {
  Note note;
  std::ifstream input(file);
  input >> note.schema >> note.version >> note.at;
  return note;
}

}  // namespace

void keep_before_upgrade(const DataFolder& folder, std::uint32_t schema) {
  if (!fs::exists(folder.store() / "CURRENT")) return;
  const auto note = read_note(note_of(folder));
  if (note.schema >= schema) return;
  const auto kept = kept_folder(folder);
  if (fs::exists(kept / "store") && !fs::exists(kept / "schema")) return;  // an upgrade that was cut off has kept it
  const auto before = fs::path(kept).concat(".old");                       // never half there under its own name
  fs::remove_all(before);
  if (fs::exists(kept)) fs::rename(kept, before);
  fs::remove_all(before);
  fs::create_directories(kept);
  fs::permissions(kept, fs::perms::owner_all);
  store::checkpoint_closed(folder.store(), kept / "store");
  write_private_file(kept / "schema", std::to_string(note.schema) + " " +
                                          (note.version.empty() ? "unknown" : note.version) + " " +
                                          web::iso8601(store::now()) + "\n");
}

void note_schema(const DataFolder& folder, std::uint32_t schema) {
  const auto note = read_note(note_of(folder));
  if (note.schema != schema || note.version != version)
    write_private_file(note_of(folder), std::to_string(schema) + " " + version + "\n");
}

std::optional<KeptStore> kept_store(const DataFolder& folder) {
  if (!fs::exists(kept_folder(folder) / "store" / "CURRENT")) return std::nullopt;
  const auto note = read_note(kept_folder(folder) / "schema");
  return KeptStore{.version = note.version == "unknown" ? std::string() : note.version, .kept_at = note.at};
}

std::string rollback_advice(const DataFolder& folder) {
  const auto kept = kept_store(folder);
  if (!kept) return {};
  return "this box was upgraded" + (kept->version.empty() ? std::string() : " from agentbox " + kept->version) +
         " at " + kept->kept_at + ": agentbox rollback --data " + folder.path().string() +
         " goes back to the store before it; then start the previous version";
}

fs::path roll_back(const DataFolder& folder) {
  const auto kept = kept_folder(folder);
  if (!kept_store(folder))
    throw UsageError("there is no store to go back to in " + kept.string() +
                     ": restore a backup with `agentbox restore` into another folder");
  const auto note = read_note(kept / "schema");
  // A copy, so that going back can be repeated.
  const auto ready = folder.path() / "store.before";
  fs::remove_all(ready);
  store::checkpoint_closed(kept / "store", ready);
  auto aside = folder.path() / ("store.rolled-back-" + std::to_string(std::time(nullptr)));
  // There is no store if this was cut off here.
  if (fs::exists(folder.store())) store::rename_closed(folder.store(), aside);
  store::rename_closed(ready, folder.store());
  write_private_file(note_of(folder), std::to_string(note.schema) + " " + note.version + "\n");
  return aside;
}

}  // namespace agentbox
