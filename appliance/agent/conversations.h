// The agent's conversations. Each has a history of its own, and those with peers have their own files and memory, so
// that nobody reads what the agent heard from others.
//
//   .agentbox/conversation.jsonl                               the owner's first conversation
//   .agentbox/conversations/<name>/history.jsonl               the owner's others
//   .agentbox/peers/<peer>/memory.jsonl                        what the agent remembers for a peer
//   .agentbox/peers/<peer>/conversations/<name>/history.jsonl  a peer's conversation
//   .agentbox/peers/<peer>/conversations/<name>/files/         its files
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/agent/conversation.h"
#include "appliance/agent/memory.h"
#include "appliance/agent/tools/toolbox.h"
#include "appliance/agent/workspace.h"
#include "appliance/agent/workspace_path.h"

namespace agent_process {

// Those of the owner's tools that peers, or callers whom nobody knows, may use.
struct PeerTools {
  std::vector<Tool> tools;
  ToolSource more;
};

// What a turn for a peer may use. Used like Conversations.
class PeerContext {
 public:
  using MakeTools = std::function<std::vector<Tool>(const Workspace&, Memory&)>;
  PeerContext(const std::filesystem::path& files_folder, const std::filesystem::path& memory_folder, StorageLimit,
              const MakeTools&, ToolSource more, boost::asio::thread_pool& files);

  // Of a caller whom nobody knows: no files, and no memory.
  explicit PeerContext(const PeerTools& tools) : memory_(files::Descriptor()), toolbox_(tools.tools, tools.more) {}

  Memory& memory() { return memory_; }
  Toolbox& toolbox() { return toolbox_; }
  bool has_memory() const { return workspace_.has_value(); }

 private:
  const std::optional<Workspace> workspace_;
  Memory memory_;
  Toolbox toolbox_;
};

// Blocks; not thread-safe: used on the one thread of `files`.
class Conversations {
 public:
  struct Options {
    std::size_t window_bytes = 96 * 1024;  // see Conversation
    StorageLimit peer_storage{};           // of each conversation with a peer
    std::optional<std::vector<std::string>>
        tool_names{};  // of the tools for a peer's own files and memory; nullopt: all
  };
  static constexpr std::size_t max_open = 16;

  // `folder`: the state folder.
  Conversations(std::filesystem::path folder, Options, boost::asio::thread_pool& files);
  // Before the first turn.
  void let_peers_use(PeerTools tools) { peer_tools_ = std::move(tools); }
  void let_anyone_use(PeerTools tools) { public_tools_ = std::move(tools); }

  // Opens or makes a conversation of the owner; an empty name is the first one. Throws std::runtime_error with a
  // sentence, like those below.
  std::shared_ptr<Conversation> open(const std::string& name);
  // Begins it again with these messages.
  std::shared_ptr<Conversation> begin(const std::string& name, const std::vector<models::Message>&);
  // The folder of a peer, which has its memory; made if it is missing.
  std::filesystem::path folder_of_peer(std::string_view peer) const;
  std::shared_ptr<Conversation> open_of_peer(const std::string& name, const std::string& peer);
  // Memory and tools of a peer's turn in this conversation.
  std::shared_ptr<PeerContext> peer(const std::string& name, const std::string& peer,
                                    std::shared_ptr<const Conversation>) const;
  // Of a caller whom nobody knows.
  std::shared_ptr<PeerContext> anyone() const { return std::make_shared<PeerContext>(public_tools_); }

  // Messages of all conversations of the owner with all of these words, newest first.
  std::vector<HistoryMatch> search(std::string_view words, std::size_t limit) const;
  // Closes a conversation of the owner or of a peer, or all of a peer (an empty name), so that the files can be removed
  // (forget.h).
  void close(std::string_view name, std::string_view peer);

 private:
  std::filesystem::path folder_of(std::string_view name) const;
  std::shared_ptr<Conversation> open_file(const std::string& key, const std::filesystem::path& file);
  std::vector<Tool> tools_of_peer(const Workspace&, Memory&, std::shared_ptr<const Conversation>) const;

  const std::filesystem::path state_folder_;
  const Options options_;
  boost::asio::thread_pool& files_;
  PeerTools peer_tools_, public_tools_;
  // By "<peer>/<name>", without a peer for the owner's; the one used last is first.
  std::list<std::pair<std::string, std::shared_ptr<Conversation>>> open_;
};

}  // namespace agent_process
