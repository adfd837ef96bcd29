#include "appliance/box/agent_transfer/agent_transfer.h"

#include <array>
#include <cstdio>
#include <map>

#include "appliance/agent/workspace_path.h"
#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/box/packing/header.h"
#include "appliance/box/packing/tree.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "web/routes/reply.h"

namespace agent_transfer {

namespace {

namespace fs = std::filesystem;
using agentbox::UsageError;

constexpr std::size_t longest_description = 16u << 20, longest_messages = 32u << 20;
constexpr std::size_t enough_messages = 8u << 20;  // bytes in a file

std::string numbered(std::size_t number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%05zu", number);
  return std::string(messages_prefix) + digits.data() + ".jsonl";
}

template <class T>
std::string json_of(const T& value) {
  std::string text;
  web::write_json(text, value);
  return text;
}

packing::Entry entry(std::string path) {
  return {.path = std::move(path), .modified = std::chrono::system_clock::to_time_t(store::now()), .target = {}};
}

void write_messages(const store::Tenant& tenant, const std::string& agent, packing::ArchiveWriter& archive) {
  store::Page page{.limit = messages_per_file, .after = agent + "."};
  std::string lines;
  std::size_t files = 0;
  const auto write_file = [&] {
    if (!lines.empty()) archive.add(entry(numbered(++files)), lines);
    lines.clear();
  };
  for (bool has_more = true; has_more; write_file()) {
    auto found = tenant.list(chat::messages, page);
    const auto listed = found.size();
    if (listed > 0) page.after = found.back().id;
    std::erase_if(found, [&](const chat::Message& message) { return message.agent != agent; });
    for (const auto& message : found) {
      lines += json_of(carried(message)) + "\n";
      if (lines.size() >= enough_messages) write_file();
    }
    has_more = listed == messages_per_file && found.size() == listed;
  }
}

struct Description {
  ExportedAgent agent;
  std::vector<ExportedSchedule> schedules;
  std::uint64_t bytes = 0;  // of its files and the conversation
};

bool is_messages(const packing::Entry& entry) {
  return entry.type == packing::EntryType::file && entry.path.starts_with(messages_prefix);
}

bool is_kept(const packing::Entry& entry) { return agentbox::is_kept_of_agents(packing::parts_of(entry.path).front()); }

// All of the file is read and checked.
Description described(const fs::path& file) {
  packing::ArchiveReader archive(file);
  packing::read_header(archive, "agent");
  Description result;
  bool has_agent = false;
  while (const auto found = archive.next()) {
    if (found->path == agent_name) {
      result.agent = read_agent(archive.read_text(longest_description));
      has_agent = true;
    } else if (found->path == schedules_name) {
      result.schedules = read_schedules(archive.read_text(longest_description));
    } else if (is_messages(*found)) {
      const auto lines = archive.read_text(longest_messages);
      read_messages(lines);
      result.bytes += lines.size();
    } else if (found->path == conversations_name) {
      read_conversations(archive.read_text(longest_description));
    } else if (is_kept(*found)) {
      archive.read([&](std::uint64_t, std::string_view bytes) { result.bytes += bytes.size(); });
    } else {
      throw UsageError("the pack holds \"" + found->path.substr(0, 200) + "\", which no agent has");
    }
  }
  if (!has_agent) throw UsageError("the pack does not say which agent it holds");
  return result;
}

// Its place in the conversation is kept, also among messages of one millisecond.
std::string message_id(const std::string& agent, store::Time at, std::size_t number) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), ".%013lld%08zu", static_cast<long long>(at.time_since_epoch().count()),
                number);
  return agent + text.data();
}

// The ids of imported conversations by those in the pack. They are new: nobody continues a conversation of a pack but
// its owner, since a peer of the same name may be another one here.
using ConversationIds = std::map<std::string, std::string, std::less<>>;

ConversationIds insert_conversations(const store::System& system, const agents::Agent& agent,
                                     std::vector<ExportedConversation> found) {
  constexpr std::size_t id_length = 24;
  ConversationIds ids;
  auto change = system.change();
  for (auto& one : found) {
    chat::Conversation made{.owner = agent.owner,
                            .id = "c_" + crypto::random_id(id_length),
                            .agent = agent.id,
                            .channel = one.channel,
                            .audience = one.audience,
                            .peer = std::move(one.peer),
                            .peer_user = {},
                            .title = std::move(one.title),
                            .is_archived = one.isArchived,
                            .is_pinned = one.isPinned,
                            .created_at = one.createdAt,
                            .last_at = one.lastAt};
    ids.emplace(std::move(one.id), made.id);
    change.insert(chat::conversations, made);
  }
  if (!change.commit_blocking().ok()) throw UsageError("the conversations cannot be stored");
  return ids;
}

// The agent's own files of conversations get the new names. What it remembered for peers is left out.
void rename_histories(const fs::path& workspace, const ConversationIds& ids) {
  const auto is_folder = [](const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); };
  const auto state = workspace / agent_process::state_folder;
  if (!is_folder(state)) return;
  fs::remove_all(state / agent_process::peers_folder);
  const auto folder = state / agent_process::conversations_folder;
  if (!is_folder(folder)) return;
  for (const auto& [before, now] : ids)
    if (agent_process::is_conversation_name(before) && is_folder(folder / before))
      fs::rename(folder / before, folder / now);
}

void insert_messages(const store::System& system, const agents::Agent& agent, const ConversationIds& ids,
                     std::vector<ExportedMessage> found, std::size_t first) {
  constexpr std::size_t per_change = 200;
  for (std::size_t at = 0; at < found.size(); at += per_change) {
    auto change = system.change();
    for (std::size_t i = at; i < std::min(found.size(), at + per_change); ++i) {
      auto& one = found[i];
      const auto conversation = one.conversation.empty() ? ids.end() : ids.find(one.conversation);
      if (!one.conversation.empty() && conversation == ids.end())
        throw UsageError("the pack has a message of a conversation that it does not have");
      change.insert(chat::messages,
                    chat::Message{.owner = agent.owner,
                                  .id = message_id(agent.id, one.createdAt, first + i),
                                  .agent = agent.id,
                                  .role = one.role,
                                  .content = std::move(one.content),
                                  .model = std::move(one.model),
                                  .delivery = one.delivery,
                                  .failure = std::move(one.failure),
                                  .is_stopped = one.isStopped,
                                  .created_at = one.createdAt,
                                  .conversation = conversation == ids.end() ? std::string() : conversation->second});
    }
    if (!change.commit_blocking().ok()) throw UsageError("the conversation cannot be stored");
  }
}

// The workspace and the conversation of a described file.
std::size_t extract(const fs::path& file, const fs::path& folder, const store::System& system,
                    const agents::Agent& agent) {
  fs::create_directories(folder);
  packing::ArchiveReader archive(file);
  packing::read_header(archive, "agent");
  packing::Extraction extraction(folder);
  std::size_t messages = 0;
  ConversationIds ids;
  while (const auto found = archive.next()) {
    if (is_kept(*found)) {
      extraction.write(*found, found->path, archive);
    } else if (is_messages(*found)) {
      auto read = read_messages(archive.read_text(longest_messages));
      const auto count = read.size();
      insert_messages(system, agent, ids, std::move(read), messages);
      messages += count;
    } else if (found->path == conversations_name) {
      ids = insert_conversations(system, agent, read_conversations(archive.read_text(longest_description)));
    }
  }
  rename_histories(folder / agentbox::workspace_folder, ids);
  return messages;
}

// What blocks and reports by exceptions, on another thread.
template <class T>
web::Task<web::Result<T>> attempt(boost::asio::thread_pool& pool, std::function<web::Result<T>()> work) {
  auto guarded = [work = std::move(work)]() -> web::Result<T> {
    try {
      return work();
    } catch (const std::exception& error) {
      return web::invalid(error.what());
    }
  };
  co_return co_await web::offload(pool, std::move(guarded));
}

}  // namespace

AgentTransfer::AgentTransfer(const agentbox::Platform& platform, const agents::AgentDirectory& directory,
                             agents::AgentProvisioning& provisioning, agents::AgentLifecycle& lifecycle,
                             schedule::Tasks& tasks)
    : platform_(platform),
      directory_(directory),
      provisioning_(provisioning),
      lifecycle_(lifecycle),
      tasks_(tasks),
      disk_(platform.folder.path(), platform.settings.disk_reserve) {}

Exported AgentTransfer::write(const agents::Agent& agent, const fs::path& file) const {
  const auto draft = fs::path(file).concat(".part");
  fs::remove(draft);
  Exported done{.secrets = carried(agent).secrets, .left_out = {}};
  {
    packing::ArchiveWriter archive(draft);
    packing::write_header(archive, {.kind = "agent", .version = {}, .madeAt = {}, .keyFingerprint = {}}, store::now());
    archive.add(entry(std::string(agent_name)), json_of(carried(agent)));
    std::vector<ExportedSchedule> schedules;
    for (const auto& task : tasks_.list(agent.owner, agent.id)) schedules.push_back(carried(task));
    archive.add(entry(std::string(schedules_name)), json_of(schedules));
    std::vector<ExportedConversation> conversations;
    for (const auto& one : chat::conversations_of(platform_.system, agent.id, std::size_t(-1)))
      if (one.id != chat::first_conversation_id(agent.id)) conversations.push_back(carried(one));
    archive.add(entry(std::string(conversations_name)), json_of(conversations));
    write_messages(platform_.system.tenant(agent.owner), agent.id, archive);
    for (const auto kept : agentbox::kept_agent_folders)
      packing::add_tree(archive, platform_.folder.agents() / agent.id / kept, std::string(kept), done.left_out);
    archive.finish();
  }
  fs::rename(draft, file);
  done.bytes = fs::file_size(file);
  return done;
}

web::Task<web::Result<Exported>> AgentTransfer::export_to(fs::path file, std::string id) {
  const auto agent = directory_.find(id);
  if (!agent) co_return web::not_found("No such agent");
  if (!file.is_absolute()) co_return web::invalid("file must be an absolute path on the box");
  std::function<web::Result<Exported>()> work = [this, agent = *agent,
                                                 file = std::move(file)]() -> web::Result<Exported> {
    const bool is_exchange = agentbox::is_beneath(file, maintenance::exchange_folder(platform_.folder));
    if (!is_exchange && agentbox::is_beneath(file, platform_.folder.path()))
      throw UsageError("file must be outside of the data folder");
    if (fs::exists(file)) throw UsageError(file.string() + " exists already: name another file");
    std::uint64_t bytes = 0;
    for (const auto kept : agentbox::kept_agent_folders)
      bytes += packing::bytes_in(platform_.folder.agents() / agent.id / kept);
    if (const auto room = disk_.admit_at(file.parent_path(), bytes); !room) return room.error();
    try {
      return write(agent, file);
    } catch (...) {
      std::error_code ignored;
      fs::remove(fs::path(file).concat(".part"), ignored);
      throw;
    }
  };
  co_return co_await attempt<Exported>(platform_.backups, std::move(work));
}

web::Task<web::Result<Imported>> AgentTransfer::import_from(fs::path file, store::UserId owner) {
  if (!file.is_absolute()) co_return web::invalid("file must be an absolute path on the box");
  std::function<web::Result<Description>()> read = [file] { return described(file); };
  auto description = co_await attempt<Description>(platform_.backups, std::move(read));
  if (!description) co_return description.error();
  if (const auto room = disk_.admit(description->bytes); !room) co_return room.error();
  auto& carried_agent = description->agent;
  agents::NewAgent spec{.name = carried_agent.name,
                        .model = carried_agent.model,
                        .config = std::move(carried_agent.config),
                        .tier = carried_agent.tier,
                        .plan = carried_agent.plan};
  auto agent = co_await provisioning_.create(owner, std::move(spec));
  if (!agent) co_return agent.error();
  Imported imported{.agent = std::move(*agent), .secrets = std::move(carried_agent.secrets)};
  const auto id = imported.agent.id;
  auto filled = co_await fill(std::move(imported), std::move(file), std::move(description->schedules));
  if (!filled) static_cast<void>(co_await lifecycle_.remove(owner, id));
  co_return filled;
}

web::Task<web::Result<Imported>> AgentTransfer::fill(Imported imported, fs::path file,
                                                     std::vector<ExportedSchedule> schedules) {
  std::function<web::Result<std::size_t>()> work = [this, file = std::move(file), agent = imported.agent] {
    return extract(file, platform_.folder.agents() / agent.id, platform_.system, agent);
  };
  const auto messages = co_await attempt<std::size_t>(platform_.backups, std::move(work));
  if (!messages) co_return messages.error();
  imported.messages = *messages;
  for (auto& one : schedules) {
    schedule::NewTask task{.name = std::move(one.name),
                           .agent = imported.agent.id,
                           .cron_schedule = std::move(one.cronSchedule),
                           .prompt = std::move(one.prompt),
                           .description = std::move(one.description),
                           .timezone = std::move(one.timezone),
                           .enabled = one.enabled,
                           .catch_up = one.catchUp,
                           .overlap = one.overlap};
    const auto made = co_await tasks_.create(imported.agent.owner, std::move(task));
    if (!made) co_return made.error();
    ++imported.schedules;
  }
  co_return imported;
}

}  // namespace agent_transfer
