#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/subcommands.h"
#include "appliance/box/packing/entry.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/hosting/mcp_servers/packages.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t block_bytes = 1u << 20, max_entries = 200'000;
constexpr std::uint64_t max_bytes = 2ull << 30;

// A folder that is removed unless it is taken over.
struct Unpacked {
  explicit Unpacked(fs::path at) : folder(std::move(at)) {}
  ~Unpacked() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  const fs::path folder;
};

// Agents' users read it, whatever the umask.
void make_folder(const fs::path& path) {
  fs::create_directories(path);
  ::chmod(path.c_str(), 0755);
}

class Unpacker {
 public:
  Unpacker(fs::path file, fs::path folder) : file_(std::move(file)), folder_(std::move(folder)) {}

  // Files first: no link is there yet that could lead one of them elsewhere.
  void run() {
    const std::unique_ptr<::archive, int (*)(::archive*)> from(archive_read_new(), &archive_read_free);
    archive_read_support_format_tar(from.get());
    archive_read_support_filter_gzip(from.get());
    archive_read_set_format_option(from.get(), "tar", "hdrcharset", "BINARY");
    if (archive_read_open_filename(from.get(), file_.c_str(), block_bytes) != ARCHIVE_OK)
      throw UsageError("cannot read " + file_.string() + " as a gzipped tar archive");
    make_folder(folder_);
    archive_entry* header = nullptr;
    std::size_t entries = 0;
    for (int status; (status = archive_read_next_header(from.get(), &header)) != ARCHIVE_EOF;) {
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse("it is truncated or damaged");
      if (++entries > max_entries) refuse("it has more than 200,000 entries");
      write(from.get(), header);
    }
    for (const auto& [path, target] : links_) {
      make_folder((folder_ / path).parent_path());
      std::error_code failed;
      fs::create_symlink(target, folder_ / path, failed);
      if (failed) refuse("the link " + path + " cannot be made: " + failed.message());
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw UsageError(file_.string() + " was not loaded: " + reason);
  }

  void write(::archive* from, archive_entry* header) {
    const char* const name = archive_entry_pathname(header);
    std::string path = name ? name : "";
    while (path.starts_with("./")) path.erase(0, 2);
    while (path.ends_with('/')) path.pop_back();
    if (path.empty() || path == ".") return;
    if (!packing::is_plain_path(path)) refuse("an entry would lead out of its folder");
    const auto type = archive_entry_filetype(header);
    if (type == AE_IFDIR) return make_folder(folder_ / path);
    if (const char* target = type == AE_IFLNK ? archive_entry_symlink(header) : nullptr) {
      if (!packing::stays_within(target, packing::parts_of(path).size() - 1))
        refuse("the link " + path + " leads out of its folder");
      links_[path] = target;
      return;
    }
    if (type != AE_IFREG || archive_entry_hardlink(header)) refuse(path + " is neither a file, a folder nor a link");
    copy(from, path, (archive_entry_perm(header) & 0100) != 0);
  }

  void copy(::archive* from, const std::string& path, bool is_program) {
    make_folder((folder_ / path).parent_path());
    std::ofstream file(folder_ / path, std::ios::binary | std::ios::trunc);
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    for (int status; (status = archive_read_data_block(from, &bytes, &size, &offset)) != ARCHIVE_EOF;) {
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse("it is truncated or damaged");
      if ((written_ += size) > max_bytes) refuse("it has more than 2 GB");
      file.seekp(offset);
      file.write(static_cast<const char*>(bytes), std::streamsize(size));
    }
    file.close();
    if (!file) refuse("cannot write " + path);
    ::chmod((folder_ / path).c_str(), is_program ? 0755 : 0644);
  }

  const fs::path file_, folder_;
  std::map<std::string, std::string> links_;
  std::uint64_t written_ = 0;
};

json::object read_package(const fs::path& folder) {
  std::ifstream file(folder / "package.json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const auto value = file ? web::parse_json(text.str(), "package.json") : web::Result<json::value>(web::not_found());
  return value && value->is_object() ? value->get_object() : json::object();
}

// The first program that the package names, as a path below it.
std::string program_of(const json::object& package) {
  const auto* bin = package.if_contains("bin");
  if (bin && bin->is_string()) return std::string(bin->get_string());
  if (bin && bin->is_object() && !bin->get_object().empty())
    return web::string_or_empty(&bin->get_object().begin()->value());
  return web::string_member(package, "main");
}

// Where the server is in what was unpacked: as `npm pack` makes it, or in the folder that `npm install` has filled.
struct Layout {
  fs::path root;    // what becomes the package's folder
  fs::path server;  // the folder of its package.json, below root
};
Layout layout_of(const fs::path& unpacked, const fs::path& file) {
  const auto root = fs::exists(unpacked / "package/package.json") ? unpacked / "package" : unpacked;
  const auto package = read_package(root);
  const auto* dependencies = web::object_member(package, "dependencies");
  if (!program_of(package).empty()) {
    std::string missing;
    if (dependencies)
      for (const auto& [name, version] : *dependencies)
        if (!fs::exists(root / "node_modules" / std::string(name)))
          missing += (missing.empty() ? "" : ", ") + std::string(name);
    if (!missing.empty())
      throw UsageError(
          file.string() + " has no " + missing +
          ", which the package needs: install it into a folder (npm install --prefix DIR PACKAGE) and pack "
          "that (tar czf FILE -C DIR .)");
    return {.root = root, .server = {}};
  }
  if (!dependencies || dependencies->size() != 1)
    throw UsageError(file.string() +
                     " is neither a packed npm package with a program nor a folder in which one package is installed");
  return {.root = root, .server = fs::path("node_modules") / std::string(dependencies->begin()->key())};
}

// Without scope: "@modelcontextprotocol/server-memory" is "server-memory".
std::string name_of(const std::string& package) { return package.substr(package.find('/') + 1); }

int load(const Settings& settings, const fs::path& file, std::string name) {
  const DataFolder folder(settings.data);
  folder.require_box();
  const auto archive = fs::absolute(file);
  if (!fs::is_regular_file(archive)) throw UsageError("there is no file " + file.string());
  become_owner(folder);
  make_folder(folder.packages());
  const Unpacked unpacked(folder.packages() / ".new");
  std::error_code ignored;
  fs::remove_all(unpacked.folder, ignored);
  Unpacker(archive, unpacked.folder).run();
  const auto layout = layout_of(unpacked.folder, file);
  const auto package = read_package(layout.root / layout.server);
  auto program = (layout.server / program_of(package)).lexically_normal().string();
  if (program_of(package).empty() || !packing::is_plain_path(program) || !fs::is_regular_file(layout.root / program))
    throw UsageError(file.string() + " was not loaded: its package names no program");
  if (name.empty()) name = name_of(web::string_member(package, "name"));
  if (!mcp_servers::is_package_name(name))
    throw UsageError("choose a name of letters, digits, '.', '_' and '-' with --name");
  const mcp_servers::Package note{.name = name,
                                  .package = web::string_member(package, "name"),
                                  .version = web::string_member(package, "version"),
                                  .program = std::move(program)};
  {
    std::ofstream output(layout.root / mcp_servers::package_note, std::ios::binary);
    output << json::serialize(json::value_from(note)) << '\n';
    if (!output.flush()) throw UsageError("cannot write in " + folder.packages().string());
  }
  ::chmod((layout.root / mcp_servers::package_note).c_str(), 0644);
  const auto place = folder.packages() / name, before = folder.packages() / ".old";
  fs::remove_all(before, ignored);
  const bool is_new = !fs::exists(place);
  if (!is_new) fs::rename(place, before);
  fs::rename(layout.root, place);
  fs::remove_all(before, ignored);
  std::cout << (is_new ? "loaded " : "replaced ") << name << " (" << note.package << ' ' << note.version
            << "): agents' configs can name it as \"package\": \"" << name << "\"\n";
  return 0;
}

int list(const Settings& settings) {
  const DataFolder folder(settings.data);
  folder.require_box();
  for (const auto& package : mcp_servers::packages_in(folder.packages()))
    std::cout << package.name << "  " << package.package << ' ' << package.version << '\n';
  return 0;
}

int remove(const Settings& settings, const std::string& name) {
  const DataFolder folder(settings.data);
  folder.require_box();
  if (!mcp_servers::find_package(folder.packages(), name)) throw UsageError("there is no package " + name);
  become_owner(folder);
  fs::remove_all(folder.packages() / name);
  return 0;
}

}  // namespace

void add_mcp_packages(CLI::App& app, std::function<int()>& run) {
  auto* mcp = app.add_subcommand("mcp", "Packages with MCP servers that agents can run");
  mcp->require_subcommand(1);
  const auto file = std::make_shared<fs::path>();
  const auto name = std::make_shared<std::string>();

  auto* loading = mcp->add_subcommand("load", "Unpack an npm package from a file, without a registry");
  loading->add_option("file", *file, "gzipped tar archive with the package and all that it needs")
      ->required()
      ->type_name("FILE");
  loading->add_option("--name", *name, "name in agents' configs [the package's, without its scope]")->type_name("NAME");
  const SettingFlags load_flags(*loading, {"AGENTBOX_DATA"});
  loading->callback([&run, load_flags, file, name] {
    run = [load_flags, file, name] { return load(load_flags.resolve(), *file, *name); };
  });

  auto* listing = mcp->add_subcommand("list", "List the packages that were loaded");
  const SettingFlags list_flags(*listing, {"AGENTBOX_DATA"});
  listing->callback([&run, list_flags] { run = [list_flags] { return list(list_flags.resolve()); }; });

  auto* removing = mcp->add_subcommand("remove", "Remove a package");
  removing->add_option("name", *name, "as list shows it")->required()->type_name("NAME");
  const SettingFlags remove_flags(*removing, {"AGENTBOX_DATA"});
  removing->callback(
      [&run, remove_flags, name] { run = [remove_flags, name] { return remove(remove_flags.resolve(), *name); }; });
}

}  // namespace agentbox::cli
