// Clones that begin where an agent was before a message of its owner.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/changes.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/chat/conversations.h"
#include "web/task.h"

namespace chat {
namespace {

using web::Result;
using web::Task;

constexpr std::size_t copied_at_once = 200, random_digits = 8;

// The folder that the agent has written becomes the clone's workspace.
Result<void> move_workspace(const std::filesystem::path& folder, const std::string& clone, const std::string& parent,
                            const std::string& name) {
  std::error_code failed;
  std::filesystem::create_directories(folder / clone, failed);
  if (failed) return web::internal("The clone's folder cannot be made: " + failed.message());
  const auto root = files::Root::open(folder);
  if (!root) return root.error();
  const files::Components from{parent, "workspace", std::string(agent_process::state_folder),
                               std::string(agent_process::forks_folder), name};
  return files::move(*root, from, {clone, "workspace"}, files::Overwrite::no);
}

}  // namespace

Task<Result<std::string>> Conversations::write_fork(store::UserId user, std::string agent, std::string message) {
  const auto found = message_of_owner(user, agent, message);
  if (!found) co_return found.error();
  auto name = crypto::random_id(24);
  boost::json::object body{{"message", message}, {"name", name}};
  auto asking = ask_gateway(user, std::move(agent), "/v1/fork", std::move(body));
  const auto written = co_await std::move(asking);
  if (!written) co_return written.error();
  co_return name;
}

Task<Result<void>> Conversations::take_fork(agents::Agent clone, std::string parent, std::string message,
                                            std::string name) {
  const auto first = message_of_owner(clone.owner, parent, message);
  if (!first) co_return first.error();
  const auto id = conversation_of(*first);
  const auto origin = find(clone.owner, parent, id);
  if (!origin) co_return origin.error();
  const auto move = [&] { return move_workspace(folder_, clone.id, parent, name); };
  const auto moved = co_await web::offload(blocking_, move);
  if (!moved) co_return moved.error();
  const auto tenant = system_.tenant(clone.owner);
  auto end = id + "/";
  ++end.back();
  auto from = message_key(id, message) + '\0';
  const auto made_id = first_conversation_id(clone.id);
  bool is_first = true;
  for (bool has_more = true; has_more;) {
    const auto found = system_.find_range(messages, "conversation", from, end, copied_at_once);
    has_more = found.size() == copied_at_once;
    auto change = tenant.change();
    if (std::exchange(is_first, false)) {
      Conversation made = *origin;
      made.id = made_id;
      made.agent = clone.id;
      made.channel = Channel::console;
      made.is_archived = made.is_pinned = made.awaits_title = made.begins_from_messages = false;
      made.branch_of.clear();
      change.insert(conversations, made);
    }
    for (auto copy : found) {
      from = message_key(id, copy.id) + '\0';
      copy.id = clone.id + copy.id.substr(parent.size(), copy.id.size() - parent.size() - random_digits) +
                crypto::random_id(random_digits);
      copy.agent = clone.id;
      copy.conversation = made_id;
      change.insert(messages, copy);
    }
    co_await change.commit();
  }
  co_return Result<void>();
}

}  // namespace chat
