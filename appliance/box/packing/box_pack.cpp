#include "appliance/box/packing/box_pack.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "appliance/box/packing/header.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"

namespace packing {

namespace {

namespace fs = std::filesystem;
using agentbox::UsageError;

constexpr std::string_view key_name = "master.key";
constexpr std::array parts{"images", "agents", "skills", "store", "store.schema", "agentbox.toml.sealed", "master.key"};
constexpr std::size_t longest_key = 1'024;

void require_part(const Entry& entry) {
  const auto first = parts_of(entry.path).front();
  if (std::ranges::find(parts, first) == parts.end())
    throw UsageError("the pack holds \"" + std::string(first.substr(0, 200)) + "\", which no box has");
}

}  // namespace

WrittenBox write_box(const fs::path& from, store::Time made_at, const fs::path& file, const std::string& master_key,
                     const Report& report) {
  const auto draft = fs::path(file).concat(".part");
  WrittenBox written;
  {
    ArchiveWriter archive(draft, Existing::continued);
    const auto all = bytes_in(from);
    std::uint64_t done = 0;
    archive.report_to([&](std::uint64_t more) { report(done += more, all); });
    write_header(archive,
                 {.kind = "box", .version = {}, .madeAt = {}, .keyFingerprint = agentbox::key_fingerprint(master_key)},
                 made_at);
    for (const auto* part : parts) add_tree(archive, from / part, part, written.left_out);
    archive.finish(master_key);
    written.kept = archive.kept();
  }
  fs::rename(draft, file);
  return written;
}

CheckedBox check_box(const fs::path& file, const std::optional<std::string>& key, const Report& report) {
  ArchiveReader archive(file);
  const auto header = read_header(archive, "box");
  CheckedBox box{.made_at = header.madeAt, .version = header.version, .master_key = {}};
  if (key && agentbox::key_fingerprint(*key) != header.keyFingerprint)
    throw UsageError("the master key does not open " + file.string() + ": use the one of the box that was packed");
  while (const auto entry = archive.next()) {
    require_part(*entry);
    ++box.entries;
    if (entry->path == key_name && entry->type == EntryType::file) {
      box.holds_key = true;
      auto text = archive.read_text(longest_key);
      while (text.ends_with('\n')) text.pop_back();
      box.master_key = crypto::unhex(text);
    } else {
      archive.read([&](std::uint64_t, std::string_view bytes) {
        box.bytes += bytes.size();
        report(archive.position(), archive.size());
      });
    }
  }
  box.is_key_given = key.has_value();
  if (key) box.master_key = *key;
  if (box.master_key.empty())
    throw UsageError(file.string() + " does not hold its master key: name the box's master.key with --key, or set " +
                     "AGENTBOX_MASTER_KEY");
  if (agentbox::key_fingerprint(box.master_key) != header.keyFingerprint || !archive.is_signed_by(box.master_key))
    throw UsageError(file.string() + " is not signed by its box: it was altered, or made by another program");
  return box;
}

void extract_box(const fs::path& file, const CheckedBox& checked, const fs::path& to, const Report& report) {
  ArchiveReader archive(file);
  read_header(archive, "box");
  Extraction extraction(to);
  while (const auto entry = archive.next()) {
    require_part(*entry);
    extraction.write(*entry, entry->path, archive);
    report(archive.position(), archive.size());
  }
  if (!archive.is_signed_by(checked.master_key)) throw UsageError(file.string() + " was changed while it was read");
}

}  // namespace packing
