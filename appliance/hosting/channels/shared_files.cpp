#include "appliance/hosting/channels/shared_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/utf8.h"

namespace channels {

namespace {

// A name that no workspace misreads: the last part of a path, without control characters, not hidden.
std::string safe_name(std::string_view given, std::size_t number) {
  if (const auto slash = given.find_last_of("/\\"); slash != std::string_view::npos) given.remove_prefix(slash + 1);
  std::string name;
  for (const char c : given)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) name += c;
  name = std::string(web::utf8_prefix(name, 120));
  while (name.starts_with('.')) name.erase(0, 1);
  return std::to_string(number) + "-" + (name.empty() ? "file" : name);
}

// As messengers record them, by the names that adapters give them.
bool is_voice_note(std::string_view name, std::size_t bytes) {
  const auto lower = web::lower_case(name);
  const auto ends = [&](std::string_view ending) { return lower.ends_with(ending); };
  return bytes <= max_voice_note && (ends(".ogg") || ends(".oga") || ends(".opus") || ends(".m4a") || ends(".amr"));
}

files::Components folder_of_peer(const FilePlace& place) {
  using namespace agent_process;
  return {std::string(state_folder),         std::string(peers_folder), place.peer,
          std::string(conversations_folder), place.conversation,        std::string(conversation_files)};
}

web::Result<void> write_for_peer(const std::filesystem::path& workspace, const FilePlace& place,
                                 const std::string& path, const std::string& content) {
  auto components = agent_process::path_components(path);
  if (!components) return components.error();
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto name = components->back();
  auto folder = folder_of_peer(place);
  folder.insert(folder.end(), components->begin(), std::prev(components->end()));
  const auto opened = root->open_or_make(folder);
  if (!opened) return opened.error();
  const auto state = root->open_or_make({std::string(agent_process::state_folder)});
  if (!state) return state.error();
  return files::replace(*opened, name, content, {.folder = *state, .name = "write-" + crypto::random_id(16)});
}

std::vector<SharedFiles::Linked> find_linked(const std::filesystem::path& workspace, const FilePlace& place,
                                             const std::vector<std::string>& targets) {
  std::vector<SharedFiles::Linked> found;
  const auto root = files::Root::open(workspace);
  if (!root) return found;
  for (const auto& target : targets) {
    // Reserved names are refused before the peer's own folder, which has some, is put in front.
    const auto components = agent_process::path_components(target);
    if (!components || components->empty()) continue;
    auto whole = place.peer.empty() ? files::Components() : folder_of_peer(place);
    whole.insert(whole.end(), components->begin(), components->end());
    const auto file = root->open(whole, O_PATH);
    struct stat info {};
    if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    found.push_back({.path = files::join(whole), .name = components->back()});
    if (found.size() == max_files_out) break;
  }
  return found;
}

}  // namespace

SharedFiles::SharedFiles(uploads::Uploads& uploads, std::filesystem::path folder, boost::asio::thread_pool& blocking,
                         Transcribe transcribe)
    : uploads_(uploads), folder_(std::move(folder)), blocking_(blocking), transcribe_(std::move(transcribe)) {}

// Models read text. Without a model that writes speech down the agent knows of the file alone.
web::Task<std::string> SharedFiles::words_in(const FilePlace& place, std::string sound) {
  auto transcribing = transcribe_(place.owner, place.agent, std::move(sound));
  const auto words = co_await std::move(transcribing);
  if (!words && words.error().kind != web::Kind::unavailable)
    web::log::info("channel_voice_note_not_read", {{"agent", place.agent}, {"reason", words.error().message}});
  if (!words || web::trim(*words, web::white_space).empty()) co_return std::string();
  co_return "\nWhat is said in it: " + *words;
}

web::Task<web::Result<void>> SharedFiles::store(const FilePlace& place, const std::string& path, std::string content) {
  if (place.peer.empty()) {
    const auto written = co_await uploads_.write(place.owner, place.agent, path, std::move(content));
    if (!written) co_return written.error();
    co_return web::Result<void>();
  }
  const auto listing = co_await uploads_.list(place.owner, place.agent, std::string());
  if (listing && listing->quota > 0 && listing->used + std::int64_t(content.size()) > listing->quota)
    co_return web::invalid("The agent has no room for it.");
  const auto workspace = folder_ / place.agent / "workspace";
  const auto write = [&]() -> web::Result<void> {
    if (auto admitted = uploads_.admit(content.size()); !admitted) return admitted;
    return write_for_peer(workspace, place, path, content);
  };
  co_return co_await web::offload(blocking_, write);
}

web::Task<std::string> SharedFiles::take(FilePlace place, Adapter& adapter, std::string message,
                                         std::vector<FileReference> references) {
  std::string said;
  const auto limit = std::int64_t(adapter.traits().max_file_bytes);
  const auto folder = "channels/" + crypto::sha256_hex(message).substr(0, 12);
  for (std::size_t at = 0; at < std::min(references.size(), max_files_in); ++at) {
    const auto& reference = references[at];
    const auto path = folder + "/" + safe_name(reference.name, at + 1);
    if (reference.size > limit) {
      said += "\nFile \"" + reference.name + "\": not stored, it is too large.";
      continue;
    }
    auto copy = reference;
    auto content = co_await adapter.download(std::move(copy));
    if (!content) {
      said += "\nFile \"" + reference.name + "\": not received: " + content.error().message;
      continue;
    }
    auto sound = is_voice_note(reference.name, content->size()) ? *content : std::string();
    const auto stored = co_await store(place, path, std::move(*content));
    said += stored ? "\nFile: " + path : "\nFile \"" + reference.name + "\": not stored: " + stored.error().message;
    if (stored && !sound.empty()) said += co_await words_in(place, std::move(sound));
  }
  co_return said;
}

web::Task<std::vector<SharedFiles::Linked>> SharedFiles::linked(FilePlace place, std::string markdown) {
  const auto targets = linked_files(markdown);
  std::vector<Linked> none;
  if (targets.empty()) co_return none;
  const auto workspace = folder_ / place.agent / "workspace";
  const auto find = [&] { return find_linked(workspace, place, targets); };
  co_return co_await web::offload(blocking_, find);
}

}  // namespace channels
