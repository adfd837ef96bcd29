#include "appliance/files/changes.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace files {

namespace {

// The last component of a path and the folder that contains it.
struct Entry {
  Descriptor folder;
  std::string name;
};

web::Result<Entry> entry_at(const Root& root, Components components) {
  auto name = std::move(components.back());
  components.pop_back();
  auto folder = root.open(components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  return Entry{.folder = std::move(*folder), .name = std::move(name)};
}

// An error for anything but a regular file or a folder; links are not followed.
web::Result<bool> is_folder(const Entry& entry) {
  struct stat info {};
  if (::fstatat(entry.folder.get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return error_of(errno);
  if (S_ISLNK(info.st_mode)) return error_of(ELOOP);
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) return error_of(ENXIO);
  return S_ISDIR(info.st_mode);
}

bool is_above(const Components& upper, const Components& lower) {
  return upper.size() < lower.size() && std::equal(upper.begin(), upper.end(), lower.begin());
}

// An error unless a file may replace whatever is at `to`.
web::Result<void> require_replaceable(const Entry& to, bool moves_folder) {
  const auto target_is_folder = is_folder(to);
  if (!target_is_folder) {
    if (target_is_folder.error().kind == web::Kind::not_found) return {};
    return target_is_folder.error();
  }
  if (*target_is_folder || moves_folder) return web::conflict("to exists already, and only a file replaces a file");
  return {};
}

}  // namespace

web::Error named_after(std::string_view field, web::Error error) {
  constexpr std::string_view usual = "path ";
  if (error.message.starts_with(usual)) error.message.replace(0, usual.size() - 1, field);
  return error;
}

web::Result<void> move(const Root& root, const Components& from, const Components& to, Overwrite overwrite) {
  if (from.empty()) return web::invalid("from must name a file or folder");
  if (to.empty()) return web::invalid("to must name a file or folder");
  if (is_above(from, to)) return web::invalid("to must not lie in the folder that is moved");
  const auto source = entry_at(root, from);
  if (!source) return named_after("from", source.error());
  const auto moves_folder = is_folder(*source);
  if (!moves_folder) return named_after("from", moves_folder.error());
  if (from == to) return {};

  auto folder = root.open_or_make({to.begin(), to.end() - 1});
  if (!folder) return named_after("to", folder.error());
  const Entry target{.folder = std::move(*folder), .name = to.back()};
  if (overwrite == Overwrite::yes) {
    if (const auto may = require_replaceable(target, *moves_folder); !may) return named_after("to", may.error());
  }
  const unsigned flags = overwrite == Overwrite::yes ? 0 : RENAME_NOREPLACE;
  if (::renameat2(source->folder.get(), source->name.c_str(), target.folder.get(), target.name.c_str(), flags) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY) return web::conflict("to exists already");
    if (errno == EINVAL) return web::invalid("to must not lie in the folder that is moved");
    return named_after("to", error_of(errno));
  }
  // The target first: after a power failure there may be two names, but never none.
  if (::fsync(target.folder.get()) != 0 || ::fsync(source->folder.get()) != 0) return error_of(errno);
  return {};
}

web::Result<void> remove(const Root& root, const Components& components) {
  if (components.empty()) return web::invalid("path must name a file or folder");
  const auto entry = entry_at(root, components);
  if (!entry) return entry.error();
  const auto folder = is_folder(*entry);
  if (!folder) return folder.error();
  if (::unlinkat(entry->folder.get(), entry->name.c_str(), *folder ? AT_REMOVEDIR : 0) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST) return web::conflict("The folder is not empty");
    return error_of(errno);
  }
  if (::fsync(entry->folder.get()) != 0) return error_of(errno);
  return {};
}

}  // namespace files
