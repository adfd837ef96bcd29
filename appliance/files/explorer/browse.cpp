#include "appliance/files/explorer/browse.h"

#include <fcntl.h>

#include <algorithm>

#include "appliance/files/changes.h"
#include "appliance/files/explorer/names.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace explorer {

namespace {

bool comes_before(const Node& a, const Node& b) {
  if (a.is_folder != b.is_folder) return a.is_folder;
  const auto same = [](char x, char y) { return web::to_lower(x) == web::to_lower(y); };
  const auto [in_a, in_b] = std::ranges::mismatch(a.name, b.name, same);
  if (in_a == a.name.end() || in_b == b.name.end()) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  }
  return static_cast<unsigned char>(web::to_lower(*in_a)) < static_cast<unsigned char>(web::to_lower(*in_b));
}

class Walk {
 public:
  explicit Walk(const Place& place) : place_(place) {}

  std::vector<Node> children(const files::Descriptor& folder, const std::string& prefix, int depth) {
    std::vector<Node> nodes;
    for (auto& [name, kind] : files::entries_in(folder)) {
      if (kind == files::EntryKind::other || !shows(place_, name)) continue;
      if (++count_ > max_nodes) {
        is_truncated = true;
        break;
      }
      auto path = prefix + name;
      nodes.push_back({.is_folder = kind == files::EntryKind::folder,
                       .name = std::move(name),
                       .path = std::move(path),
                       .children = {}});
    }
    std::ranges::sort(nodes, comes_before);
    if (depth > 1) {
      for (auto& node : nodes) read_children(folder, node, depth - 1);
    }
    return nodes;
  }

  bool is_truncated = false;

 private:
  // Folders that cannot be opened, or no longer exist, keep `children` unset.
  void read_children(const files::Descriptor& above, Node& node, int depth) {
    if (!node.is_folder) return;
    const files::Descriptor folder(files::open_beneath(above, node.name.c_str(), O_RDONLY | O_DIRECTORY));
    if (folder) node.children = children(folder, node.path + "/", depth);
  }

  const Place& place_;
  std::size_t count_ = 0;
};

std::string text_of(const files::Components& components) { return components.empty() ? "" : files::join(components); }

std::chrono::sys_time<std::chrono::milliseconds> modified(const struct stat& info) {
  const auto since_epoch = std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch));
}

}  // namespace

web::Result<std::string> normalised(const Place& place, std::string_view path) {
  const auto components = readable(place, path);
  if (!components) return components.error();
  return text_of(*components);
}

web::Result<Tree> tree(const Place& place, std::string_view path, int depth) {
  const auto components = readable(place, path);
  if (!components) return components.error();
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  const auto folder = root->open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  Walk walk(place);
  Tree tree;
  tree.root = {.is_folder = true,
               .name = components->empty() ? place.folder.filename().string() : components->back(),
               .path = text_of(*components),
               .children = {}};
  tree.root.children = walk.children(*folder, components->empty() ? "" : tree.root.path + "/", depth);
  tree.is_truncated = walk.is_truncated;
  return tree;
}

web::Result<File> read(const Place& place, std::string_view path) {
  const auto components = readable(place, path);
  if (!components) return components.error();
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  // O_NONBLOCK: opening a pipe must not block.
  const auto file = root->open(*components, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return file.error();
  auto text = files::read_text(*file, max_file_bytes);
  if (!text) return text.error();
  return File{.path = text_of(*components), .content = std::move(text->content), .modified = modified(text->info)};
}

web::Result<std::string> write(const Place& place, std::string_view path, std::string_view content) {
  auto components = writable(place, path);
  if (!components) return components.error();
  if (components->empty() || path.ends_with('/')) return web::invalid("path must name a file");
  if (content.size() > max_file_bytes) return web::invalid("content must be at most 1 MB");
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  auto written = text_of(*components);
  const auto name = std::move(components->back());
  components->pop_back();
  const auto folder = root->open_or_make(*components);
  if (!folder) return folder.error();
  const files::Staging staging{.folder = *folder, .name = std::string(temporary_prefix) + crypto::random_id(16)};
  if (const auto replaced = files::replace(*folder, name, content, staging); !replaced) return replaced.error();
  return written;
}

web::Result<Moved> move(const Place& place, std::string_view from, std::string_view to, bool overwrite) {
  const auto source = writable(place, from);
  if (!source) return files::named_after("from", source.error());
  const auto target = writable(place, to);
  if (!target) return files::named_after("to", target.error());
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  const auto moved = files::move(*root, *source, *target, overwrite ? files::Overwrite::yes : files::Overwrite::no);
  if (!moved) return moved.error();
  return Moved{.from = text_of(*source), .to = text_of(*target)};
}

web::Result<std::string> remove(const Place& place, std::string_view path) {
  const auto components = writable(place, path);
  if (!components) return components.error();
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  if (const auto removed = files::remove(*root, *components); !removed) return removed.error();
  return text_of(*components);
}

web::Result<std::string> make_folder(const Place& place, std::string_view path) {
  const auto components = writable(place, path);
  if (!components) return components.error();
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  const auto existing = root->open(*components, O_PATH);
  if (existing) return web::conflict("path exists already");
  if (existing.error().kind != web::Kind::not_found) return existing.error();
  if (const auto made = root->open_or_make(*components); !made) return made.error();
  return text_of(*components);
}

}  // namespace explorer
