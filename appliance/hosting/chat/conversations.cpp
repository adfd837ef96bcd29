#include "appliance/hosting/chat/conversations.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "appliance/agent/forget.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/files/changes.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/models/queue/fair_queue.h"
#include "store/transact.h"
#include "web/client/fetch.h"
#include "web/log.h"

namespace chat {
namespace {

using web::Result;
using web::Task;

constexpr std::size_t id_length = 24, erased_at_once = 200;
constexpr std::chrono::seconds forget_timeout{15};

Conversation first_conversation(store::UserId owner, const std::string& agent) {
  return {.owner = owner,
          .id = first_conversation_id(agent),
          .agent = agent,
          .channel = Channel::console,
          .audience = Audience::owner,
          .peer = {},
          .peer_user = {},
          .title = {},
          .created_at = store::now(),
          .last_at = store::now(),
          .folder = {}};
}

bool can_be_current(const Conversation& one) {
  return one.audience == Audience::owner && !one.is_archived &&
         (one.channel == Channel::console || one.channel == Channel::api);
}

// Messages of earlier versions come before all others.
bool has_old_messages(const store::Tenant& tenant, const std::string& agent) {
  const auto oldest = tenant.list(messages, {.limit = 1, .after = agent + "."});
  return !oldest.empty() && oldest.front().agent == agent && oldest.front().conversation.empty();
}

}  // namespace

std::string conversation_id(std::string_view agent, Channel channel, std::string_view peer, std::string_view topic) {
  std::string name(agent);
  for (const std::string_view part : {std::string_view(boost::describe::enum_to_string(channel, "")), peer, topic})
    name.append(1, '\0').append(part);
  return "c_" + crypto::sha256_hex(name).substr(0, id_length);
}

std::string_view wait_class_of(Channel channel) {
  switch (channel) {
    case Channel::console:
    case Channel::api:
      return models::to_string(models::WaitClass::person);
    case Channel::swarm:
      return models::to_string(models::WaitClass::swarm);
    case Channel::schedule:
      return models::to_string(models::WaitClass::schedule);
    case Channel::a2a:
    case Channel::bus:
    case Channel::mail:
    case Channel::skill:
    case Channel::telegram:
    case Channel::webhook:
    case Channel::slack:
    case Channel::discord:
    case Channel::whatsapp:
    case Channel::matrix:
    case Channel::xmpp:
    case Channel::irc:
      return models::to_string(models::WaitClass::channel);
  }
  return models::to_string(models::WaitClass::person);
}

std::string first_conversation_id(std::string_view agent) { return conversation_id(agent, Channel::console, {}, {}); }

std::string conversation_of(const Message& message) {
  return message.conversation.empty() ? first_conversation_id(message.agent) : message.conversation;
}

std::string name_at_agent(const Conversation& one) {
  return one.id == first_conversation_id(one.agent) ? std::string() : one.id;
}

std::string peer_name_at_agent(std::string_view peer) { return crypto::sha256_hex(peer).substr(0, id_length); }

std::vector<Conversation> conversations_of(const store::System& system, const std::string& agent, std::size_t limit) {
  return system.find_range(conversations, "agent", agent + "/", agent + "0", limit);
}

Conversation current_conversation(const store::System& system, store::UserId owner, const std::string& agent) {
  for (auto& one : conversations_of(system, agent, Conversations::max_listed))
    if (can_be_current(one) && one.owner == owner) return std::move(one);
  return first_conversation(owner, agent);
}

Conversations::Conversations(store::System system, const agents::AgentDirectory& agents, std::filesystem::path folder,
                             boost::asio::thread_pool& blocking)
    : system_(std::move(system)), agents_(agents), folder_(std::move(folder)), blocking_(blocking) {}

Result<std::vector<Conversation>> Conversations::list(store::UserId user, const std::string& agent) const {
  if (!agents_.find(user, agent)) return web::not_found();
  auto found = conversations_of(system_, agent, max_listed);
  const auto first = first_conversation_id(agent);
  // Messages of earlier versions belong to a conversation without a record.
  if (std::ranges::find(found, first, &Conversation::id) == found.end() &&
      has_old_messages(system_.tenant(user), agent))
    found.push_back(first_conversation(user, agent));
  std::stable_partition(found.begin(), found.end(), std::mem_fn(&Conversation::is_pinned));
  return found;
}

std::vector<Conversation> Conversations::list_all(store::UserId user, std::size_t limit) const {
  std::vector<Conversation> found;
  for (const auto& agent : agents_.list(user)) {
    auto of_agent = list(user, agent.id);
    if (!of_agent) continue;
    for (auto& one : *of_agent) found.push_back(std::move(one));
  }
  std::ranges::sort(found, std::greater<>(), &Conversation::last_at);
  std::stable_partition(found.begin(), found.end(), std::mem_fn(&Conversation::is_pinned));
  if (found.size() > limit) found.erase(found.begin() + std::ptrdiff_t(limit), found.end());
  return found;
}

Result<Conversation> Conversations::find(store::UserId user, const std::string& agent, const std::string& id) const {
  if (!agents_.find(user, agent)) return web::not_found();
  auto row = system_.tenant(user).get(conversations, id);
  if (row && row->value.agent == agent) return std::move(row->value);
  if (id == first_conversation_id(agent)) return first_conversation(user, agent);
  return web::not_found();
}

Task<Result<Conversation>> Conversations::create(store::UserId user, std::string agent, std::string title) {
  if (!agents_.find(user, agent)) co_return web::not_found();
  const auto now = store::now();
  Conversation made{.owner = user,
                    .id = "c_" + crypto::random_id(id_length),
                    .agent = std::move(agent),
                    .channel = Channel::console,
                    .audience = Audience::owner,
                    .peer = {},
                    .peer_user = {},
                    .title = std::move(title),
                    .created_at = now,
                    .last_at = now,
                    .folder = {}};
  auto change = system_.tenant(user).change();
  change.insert(conversations, made);
  co_await change.commit();
  co_return made;
}

Task<Result<Conversation>> Conversations::edit(store::UserId user, std::string agent, std::string id,
                                               ConversationEdit edit) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> Result<Conversation> {
    auto found = find(user, agent, id);
    if (!found) return found;
    if (edit.title) {
      found->title = *edit.title;
      found->awaits_title = false;
    }
    if (edit.model) found->model = *edit.model;
    if (edit.effort) found->effort = *edit.effort;
    if (edit.is_archived) found->is_archived = *edit.is_archived;
    if (edit.is_pinned) found->is_pinned = *edit.is_pinned;
    if (edit.folder) found->folder = *edit.folder;
    if (auto row = tenant.get(conversations, id)) {
      row->value = *found;
      change.update(conversations, *row);
    } else {
      change.insert_new(conversations, *found);
    }
    return found;
  };
  co_return co_await store::transact(tenant, step);
}

Result<void> Conversations::check_files(const std::string& agent, const std::vector<std::string>& paths) const {
  const auto root = files::Root::open(folder_ / agent / "workspace");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto components = agent_process::path_components(paths[i]);
    if (!components) return files::named_after("files[" + std::to_string(i) + "]", components.error());
    const auto file = root ? root->open(*components, O_RDONLY | O_NONBLOCK) : root.error();
    struct stat info {};
    if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode))
      return web::invalid("files[" + std::to_string(i) + "] is not a file of the agent's workspace: " + paths[i]);
  }
  return {};
}

Task<Result<Conversation>> Conversations::set_title(store::UserId user, std::string agent, std::string name,
                                                    std::string title) {
  const auto tenant = system_.tenant(user);
  const auto id = name.empty() ? first_conversation_id(agent) : name;
  const auto step = [&](store::Change& change) -> Result<Conversation> {
    auto row = tenant.get(conversations, id);
    if (!row || row->value.agent != agent) return web::not_found("No such conversation");
    if (std::exchange(row->value.awaits_title, false)) row->value.title = title;
    change.update(conversations, *row);
    return row->value;
  };
  co_return co_await store::transact(tenant, step);
}

Task<Result<void>> Conversations::remove_at_agent(agents::Agent agent, const Conversation& one) {
  const auto own_name = name_at_agent(one);
  const std::string name = own_name.empty() ? std::string(agent_process::first_conversation) : own_name;
  const auto peer = one.peer.empty() ? std::string() : peer_name_at_agent(one.peer);
  const auto others = conversations_of(system_, agent.id, max_listed);
  const bool is_last = std::ranges::none_of(
      others, [&](const Conversation& other) { return other.id != one.id && other.peer == one.peer; });
  if (agent.status != agents::Status::running) {
    const auto workspace = folder_ / agent.id / "workspace";
    const auto remove = [&] {
      return peer.empty() ? agent_process::forget_conversation(workspace, name)
                          : agent_process::forget_peer(workspace, peer, is_last ? std::string() : name);
    };
    co_return co_await web::offload(blocking_, remove);
  }
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port);
  request.url += !peer.empty() && is_last ? "/v1/peers/" + peer : "/v1/conversations/" + name + "?peer=" + peer;
  request.method = "DELETE";
  request.headers = {{"Authorization", "Bearer " + agent.gateway_token.clear}};
  request.timeout = forget_timeout;
  const auto answer = co_await web::fetch(std::move(request));
  // Programs other than the box's keep no conversations: 404 or 405.
  if (answer && (answer->status == 200 || answer->status == 404 || answer->status == 405)) co_return Result<void>();
  const auto why =
      answer ? "its gateway answered with status " + std::to_string(answer->status) + "." : answer.error().message;
  co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The agent did not remove the conversation: " + why};
}

// The record with its messages.
Task<> Conversations::erase(Conversation one) {
  const auto tenant = system_.tenant(one.owner);
  const auto prefix = one.id + "/";
  auto end = prefix;
  ++end.back();
  for (bool has_more = true; has_more;) {
    auto found = system_.find_range(messages, "conversation", prefix, end, erased_at_once);
    has_more = found.size() == erased_at_once;
    auto change = tenant.change();
    for (const auto& message : found)
      if (auto row = tenant.get(messages, message.id)) change.erase(messages, *row);
    // A concurrent write makes this fail; the next iteration reads the messages again.
    const auto outcome = co_await change.commit();
    has_more = has_more || !outcome.ok();
  }
  if (one.id == first_conversation_id(one.agent)) {  // messages of earlier versions
    store::Page page{.limit = erased_at_once, .after = one.agent + "."};
    for (bool has_more = true; has_more;) {
      auto found = tenant.list(messages, page);
      has_more = found.size() == erased_at_once && found.back().agent == one.agent;
      if (!found.empty()) page.after = found.back().id;
      for (const auto& message : found) {
        if (message.agent != one.agent || !message.conversation.empty()) continue;
        auto row = tenant.get(messages, message.id);
        if (!row) continue;
        auto change = tenant.change();
        change.erase(messages, *row);
        co_await change.commit();
      }
    }
  }
  for (;;) {
    auto row = tenant.get(conversations, one.id);
    if (!row) co_return;
    auto change = tenant.change();
    change.erase(conversations, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return;
  }
}

Task<Result<Conversation>> Conversations::remove(store::UserId user, std::string agent_id, std::string id) {
  auto found = find(user, agent_id, id);
  if (!found) co_return found;
  co_await agents_.until_settled(user, agent_id);
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  auto copy = *agent;
  auto removing = remove_at_agent(std::move(copy), *found);
  const auto removed = co_await std::move(removing);
  if (!removed) co_return removed.error();
  auto erased = *found;
  auto erasing = erase(std::move(erased));
  co_await std::move(erasing);
  co_return found;
}

Task<> Conversations::forget_peer(store::UserId peer) {
  for (;;) {
    const auto found = system_.find(conversations, "peer_user", peer, erased_at_once);
    if (found.empty()) co_return;
    for (const auto& one : found) {
      if (auto agent = agents_.find(one.owner, one.agent)) {
        auto removing = remove_at_agent(std::move(*agent), one);
        const auto removed = co_await std::move(removing);
        if (!removed)
          web::log::warning("conversation_kept_by_agent",
                            {{"agent", one.agent}, {"conversation", one.id}, {"reason", removed.error().message}});
      }
      auto copy = one;
      auto erasing = erase(std::move(copy));
      co_await std::move(erasing);
    }
  }
}

Task<> Conversations::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  for (;;) {
    const auto found = conversations_of(system_, agent, erased_at_once);
    if (found.empty()) co_return;
    auto change = tenant.change();
    for (const auto& one : found)
      if (auto row = tenant.get(conversations, one.id)) change.erase(conversations, *row);
    // A concurrent write makes this fail; the next iteration reads them again.
    [[maybe_unused]] const auto outcome = co_await change.commit();
  }
}

}  // namespace chat
