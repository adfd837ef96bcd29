#include "appliance/agent/conversations.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "appliance/agent/workspace_path.h"

namespace agent_process {

namespace {

std::filesystem::path made_private_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  if (error) throw std::runtime_error("the folder " + path.string() + " cannot be made: " + error.message());
  return path;
}

}  // namespace

PeerContext::PeerContext(const std::filesystem::path& files_folder, const std::filesystem::path& memory_folder,
                         StorageLimit limit, const MakeTools& tools, ToolSource more, boost::asio::thread_pool& files)
    : workspace_(std::in_place, files_folder, limit),
      memory_(memory_folder),
      toolbox_(tools(*workspace_, memory_), std::move(more), result_keeper(*workspace_, files)) {}

Conversations::Conversations(std::filesystem::path folder, Options options, boost::asio::thread_pool& files)
    : state_folder_(std::move(folder)), options_(std::move(options)), files_(files) {}

std::filesystem::path Conversations::folder_of(std::string_view name) const {
  if (!is_conversation_name(name)) throw std::runtime_error("the conversation's name is not valid");
  return made_private_folder(state_folder_ / conversations_folder / name);
}

std::filesystem::path Conversations::folder_of_peer(std::string_view peer) const {
  if (!is_conversation_name(peer)) throw std::runtime_error("the peer's name is not valid");
  return made_private_folder(state_folder_ / peers_folder / peer);
}

std::shared_ptr<Conversation> Conversations::open_file(const std::string& key, const std::filesystem::path& file) {
  const auto found = std::ranges::find(open_, key, [](const auto& entry) { return entry.first; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front().second;
  }
  open_.emplace_front(key, std::make_shared<Conversation>(file, options_.window_bytes));
  while (open_.size() > max_open) open_.pop_back();
  return open_.front().second;
}

std::shared_ptr<Conversation> Conversations::open(const std::string& name) {
  if (name.empty() || name == first_conversation)
    return open_file("/" + std::string(first_conversation), state_folder_ / conversation_file);
  return open_file("/" + name, folder_of(name) / conversation_history);
}

std::shared_ptr<Conversation> Conversations::begin(const std::string& name,
                                                   const std::vector<models::Message>& messages) {
  if (name.empty() || name == first_conversation) throw std::runtime_error("the conversation's name is not valid");
  close(name, {});
  std::error_code error;
  std::filesystem::remove(folder_of(name) / conversation_history, error);
  if (error) throw std::runtime_error("the conversation cannot be begun again: " + error.message());
  auto conversation = open(name);
  conversation->append(messages);
  return conversation;
}

std::shared_ptr<Conversation> Conversations::open_of_peer(const std::string& name, const std::string& peer) {
  if (!is_conversation_name(name)) throw std::runtime_error("the conversation's name is not valid");
  const auto folder = made_private_folder(folder_of_peer(peer) / conversations_folder / name);
  return open_file(peer + "/" + name, folder / conversation_history);
}

std::vector<Tool> Conversations::tools_of_peer(const Workspace& workspace, Memory& memory,
                                               std::shared_ptr<const Conversation> conversation) const {
  auto history = [conversation = std::move(conversation)](std::string_view words, std::size_t limit) {
    return conversation->search(words, limit);
  };
  std::vector<Tool> tools;
  for (auto& group : {file_tools(workspace, files_), edit_tools(workspace, files_), memory_tools(memory, files_),
                      history_tools(std::move(history), files_, "user")})
    tools.insert(tools.end(), group.begin(), group.end());
  if (const auto& names = options_.tool_names)
    std::erase_if(tools, [&](const Tool& tool) { return std::ranges::count(*names, tool.definition.name) == 0; });
  // The owner's tools of these names work on what is the owner's.
  const auto own = tools.size();
  for (const auto& tool : peer_tools_.tools) {
    const auto is_same = [&](const Tool& other) { return other.definition.name == tool.definition.name; };
    if (std::none_of(tools.begin(), tools.begin() + std::ptrdiff_t(own), is_same)) tools.push_back(tool);
  }
  return tools;
}

std::shared_ptr<PeerContext> Conversations::peer(const std::string& name, const std::string& peer,
                                                 std::shared_ptr<const Conversation> conversation) const {
  if (!is_conversation_name(name)) throw std::runtime_error("the conversation's name is not valid");
  const auto folder = folder_of_peer(peer);
  const auto tools = [&](const Workspace& workspace, Memory& memory) {
    return tools_of_peer(workspace, memory, std::move(conversation));
  };
  return std::make_shared<PeerContext>(folder / conversations_folder / name / conversation_files, folder,
                                       options_.peer_storage, tools, peer_tools_.more, files_);
}

std::vector<HistoryMatch> Conversations::search(std::string_view words, std::size_t limit) const {
  std::vector<std::filesystem::path> histories{state_folder_ / conversation_file};
  std::error_code unreadable;
  for (std::filesystem::directory_iterator at(state_folder_ / conversations_folder, unreadable), end;
       !unreadable && at != end; at.increment(unreadable))
    histories.push_back(at->path() / conversation_history);
  std::vector<HistoryMatch> matches;
  for (const auto& history : histories) {
    auto found = search_history(history, words, limit);
    std::move(found.begin(), found.end(), std::back_inserter(matches));
  }
  std::ranges::stable_sort(matches, std::ranges::greater(), &HistoryMatch::at);
  if (matches.size() > limit) matches.resize(limit);
  return matches;
}

void Conversations::close(std::string_view name, std::string_view peer) {
  const auto key = std::string(peer) + "/" + std::string(name);
  std::erase_if(open_,
                [&](const auto& entry) { return name.empty() ? entry.first.starts_with(key) : entry.first == key; });
}

}  // namespace agent_process
