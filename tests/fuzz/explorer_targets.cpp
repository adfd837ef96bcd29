#include "tests/fuzz/explorer_targets.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "appliance/files/explorer/browse.h"
#include "appliance/files/path.h"
#include "appliance/files/root.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/require.h"
#include "tests/support/temporary_folder.h"

namespace fuzz {

namespace {

namespace fs = std::filesystem;

// Everything under a folder: names, and what the files hold or the links say.
std::map<std::string, std::string> entries_of(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto& content = all[entry.path().string()];
    if (entry.is_symlink()) {
      content = fs::read_symlink(entry).string();
    } else if (entry.is_regular_file()) {
      content = content_of(entry.path());
    }
  }
  return all;
}

// A folder of this process to explore, beside one that must stay as it is. `root` is made anew for each input.
class TrapFolder {
 public:
  TrapFolder() {
    put(folder_ / "outside/secret", secret);
    put(folder_ / "git/config", "[core]");
    outside_ = entries_of(folder_ / "outside");
    make();
  }
  TrapFolder(const TrapFolder&) = delete;

  fs::path root() const { return folder_ / "root"; }

  // What no request may have changed.
  void check(std::string_view bytes) const {
    require(entries_of(folder_ / "outside") == outside_, "what lies outside stays as it is", bytes);
    require(entries_of(root() / ".git") == git_, "what is git's stays as it is", bytes);
    for (const auto& entry : fs::recursive_directory_iterator(root())) {
      const auto name = entry.path().filename().string();
      const bool is_gits = files::is_git_folder(name) && entry.path() != root() / ".git";
      require(!is_gits || entry.is_symlink(), "nothing is made that a file system may take for .git", bytes);
    }
  }

  void make() {
    fs::remove_all(root());
    put(root() / "a", "a");
    put(root() / "d/b", "b");
    put(root() / ".git/config", "[core]");
    put(root() / ".git/hooks/x", "");
    put(root() / ".gitmodules", "");
    fs::create_symlink("../outside/secret", root() / "l");
    fs::create_directory_symlink("../outside", root() / "u");
    fs::create_directory_symlink("/", root() / "s");
    fs::create_directory_symlink(".git", root() / "g");
    git_ = entries_of(root() / ".git");
  }

 private:
  test_support::TemporaryFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  std::map<std::string, std::string> outside_, git_;
};

// What holds for the text of a path alone.
void check_components(std::string_view path) {
  const auto components = files::components_of(path, files::is_git_folder);
  if (!components) {
    require(components.error().kind == web::Kind::invalid, "a bad path is bad input", path);
    return;
  }
  for (const auto& name : *components) {
    const bool is_plain = !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
                          name.find('\0') == name.npos && name.size() <= 255;
    require(is_plain && !files::is_git_folder(name), "components are plain names", path);
  }
  const auto joined = files::join(*components);
  require(!joined.starts_with('/'), "a path is relative", path);
  const auto again = files::components_of(joined, files::is_git_folder);
  require(again && *again == *components, "a path says what it said", path);
}

std::string_view next_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

}  // namespace

// Each line is an order: 'w' writes the path that follows, 'r' reads it, 't' lists it, 'x' removes it; 'm' and 'o' move
// it (without and with overwriting) to the path of the next line. At most 8 orders count.
void paths(std::string_view bytes) {
  static TrapFolder ground;
  const explorer::Place place{.folder = ground.root()};
  bool is_changed = false;
  std::string_view rest = bytes;
  for (int count = 0; count < 8 && !rest.empty(); ++count) {
    const auto line = next_line(rest);
    if (line.empty()) continue;
    const auto path = line.substr(1);
    check_components(path);
    switch (line.front()) {
      case 'r': {
        const auto file = explorer::read(place, path);
        require(!file || file->content.find(secret) == std::string::npos, "what lies outside is not read", bytes);
        break;
      }
      case 't': {
        const auto tree = explorer::tree(place, path, 4);
        require(!tree || tree->root.is_folder, "a listing is of a folder", bytes);
        break;
      }
      case 'w':
        is_changed |= explorer::write(place, path, "w").has_value();
        break;
      case 'x':
        is_changed |= explorer::remove(place, path).has_value();
        break;
      case 'm':
      case 'o':
        is_changed |= explorer::move(place, path, next_line(rest), line.front() == 'o').has_value();
        break;
      default:
        break;
    }
  }
  ground.check(bytes);
  if (is_changed) ground.make();
}

}  // namespace fuzz
