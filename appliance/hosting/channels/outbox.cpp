#include "appliance/hosting/channels/outbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "appliance/files/root.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/hosting/channels/admission.h"
#include "web/log.h"

namespace channels {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_pause{1'000}, longest_pause{60'000};
constexpr std::chrono::hours patience{24};
constexpr std::chrono::days dead_letters_kept{30}, reports_awaited{1};
constexpr std::size_t max_waiting = 10'000;

std::string lane_of(std::string_view channel, std::string_view chat) {
  return std::string(channel).append("\n").append(chat);
}

std::chrono::milliseconds pause_after(std::int64_t attempts) {
  return std::min(longest_pause, first_pause * (std::int64_t{1} << std::clamp<std::int64_t>(attempts - 1, 0, 10)));
}

Outbound new_message(const Target& to) {
  const auto now = store::now();
  Outbound message;
  message.owner = to.owner;
  message.id = to.channel + "." + agentbox::ordered_id(now);
  message.agent = to.agent;
  message.channel = to.channel;
  message.chat = to.chat;
  message.created_at = now;
  message.next_at = now;
  return message;
}

web::Task<> sleep_until(std::chrono::steady_clock::time_point at) {
  const auto now = std::chrono::steady_clock::now();
  if (at > now) co_await web::sleep_for(at - now);
}

web::Result<std::string> read_beneath(const std::filesystem::path& workspace, const std::string& path,
                                      std::size_t max_bytes) {
  const auto components = files::components_of(path, [](std::string_view) { return false; });
  if (!components) return components.error();
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto file = root->open(*components, O_RDONLY | O_NONBLOCK);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return web::invalid("It is not a regular file.");
  if (std::size_t(info.st_size) > max_bytes) return web::invalid("The file is too large for this channel.");
  std::string content(std::size_t(info.st_size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const auto count = ::read(file->get(), content.data() + filled, content.size() - filled);
    if (count <= 0) break;
    filled += std::size_t(count);
  }
  content.resize(filled);
  return content;
}

}  // namespace

Outbox::Outbox(store::System system, Connections& connections, std::filesystem::path folder,
               boost::asio::thread_pool& files, boost::asio::io_context& home)
    : system_(std::move(system)),
      connections_(connections),
      folder_(std::move(folder)),
      files_(files),
      home_(home),
      tasks_(home, "channel_delivery_failed"),
      pruning_(home, "channel dead letters", 10min, [this] { return prune(); }) {}

std::vector<Outbound> Outbox::compose(const Target& to, std::string_view markdown, const std::string& edits,
                                      const std::string& reply_to) const {
  const auto connection = connections_.find(to.channel);
  const auto limit = connection ? connection->adapter->traits().text : TextLimit{.length = 2'000};
  std::vector<Outbound> messages;
  for (auto& part : cut(markdown, limit)) {
    messages.push_back(new_message(to));
    messages.back().text = std::move(part);
  }
  if (messages.empty()) return messages;
  messages.front().edits = edits;
  if (edits.empty()) messages.front().reply_to = reply_to;
  return messages;
}

Outbound Outbox::file(const Target& to, std::string path, std::string name) {
  auto message = new_message(to);
  message.file = std::move(path);
  message.file_name = std::move(name);
  return message;
}

void Outbox::add(store::Change& change, const std::vector<Outbound>& messages) {
  for (const auto& message : messages) change.insert_new(outbound, message);
}

void Outbox::wake(const std::vector<Outbound>& messages) {
  boost::asio::post(home_, [this, messages] {
    for (const auto& message : messages) enqueue(message);
  });
}

web::Task<> Outbox::send(Target to, std::string markdown) {
  const auto messages = compose(to, markdown);
  auto change = system_.tenant(to.owner).change();
  add(change, messages);
  co_await change.commit();
  wake(messages);
}

web::Task<bool> Outbox::replay(store::UserId owner, std::string id) {
  auto revive = [](Outbound& message) {
    if (message.progress != Progress::failed) return;
    message.progress = Progress::queued;
    message.failure.clear();
    message.attempts = message.uncertain = 0;
    message.is_under_way = false;
    message.created_at = store::now();
    message.next_at = message.created_at;
  };
  const auto message = co_await system_.modify(outbound, owner, std::move(id), revive);
  if (message) wake({*message});
  co_return message.has_value();
}

web::Task<bool> Outbox::discard(store::UserId owner, std::string id) {
  const auto row = system_.get(outbound, owner, id);
  if (!row || row->value.progress != Progress::failed) co_return false;
  auto change = system_.tenant(owner).change();
  change.erase(outbound, *row);
  const auto outcome = co_await change.commit();
  co_return outcome.ok();
}

web::Task<> Outbox::note(const Channel& channel, DeliveryReport report) {
  if (!report.key.starts_with(channel.id + ".")) co_return;
  const auto row = system_.get(outbound, channel.owner, report.key);
  if (!row || row->value.progress == Progress::failed) co_return;
  if (report.failure.empty())
    co_await erase(channel.owner, report.key, store::Durability::relaxed);
  else
    co_await give_up(row->value, report.failure);
}

void Outbox::start() { pruning_.start(); }

web::Task<> Outbox::stop() {
  co_await pruning_.stop();
  co_await tasks_.stop();
}

void Outbox::resume(const Channel& channel) {
  for (const auto& message : system_.tenant(channel.owner).find(outbound, "channel", channel.id, max_waiting))
    if (message.progress == Progress::queued) enqueue(message);
}

bool Outbox::is_idle(const std::string& channel, const std::string& chat) const {
  return !lanes_.contains(lane_of(channel, chat));
}

void Outbox::enqueue(const Outbound& message) {
  const auto lane = lane_of(message.channel, message.chat);
  auto& waiting = lanes_[lane];
  const bool is_known = std::ranges::any_of(waiting, [&](const Waiting& one) { return one.id == message.id; });
  if (is_known) return;
  const bool is_new = waiting.empty();
  waiting.push_back({message.owner, message.id});
  if (is_new) tasks_.spawn(lane, run_lane(lane));
}

web::Task<> Outbox::run_lane(std::string lane) {
  for (;;) {
    const auto found = lanes_.find(lane);
    if (found == lanes_.end() || found->second.empty()) break;
    auto front = found->second.front();
    Step step = Step::parked;
    try {
      step = co_await deliver(std::move(front));
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;
      web::log::error("channel_delivery_failed", {{"reason", std::string(error.what())}});
    } catch (const std::exception& error) {
      web::log::error("channel_delivery_failed", {{"reason", std::string(error.what())}});
    }
    if (step == Step::parked) break;  // until the channel has connected again
    if (step == Step::done) lanes_[lane].pop_front();
  }
  lanes_.erase(lane);
}

web::Task<Outbox::Step> Outbox::deliver(Waiting waiting) {
  const auto row = system_.get(outbound, waiting.owner, waiting.id);
  if (!row || row->value.progress != Progress::queued) co_return Step::done;
  const auto& message = row->value;
  const auto connection = connections_.find(message.channel);
  if (!connection || !connection->is_ready) co_return Step::parked;
  if (message.next_at && *message.next_at > store::now()) {
    co_await web::sleep_for(std::min<std::chrono::milliseconds>(*message.next_at - store::now(), 5s));
    co_return Step::later;
  }
  // Another chat may have sent meanwhile.
  while (connection->not_before > std::chrono::steady_clock::now()) {
    const auto at = connection->not_before;
    co_await sleep_until(at);
  }
  connection->not_before = std::chrono::steady_clock::now() + connection->adapter->traits().pace;
  auto copy = message;
  auto attempting = attempt(std::move(copy), *connection);
  co_return co_await std::move(attempting);
}

web::Task<Outbox::Step> Outbox::attempt(Outbound message, Connection& connection) {
  auto& adapter = *connection.adapter;
  const bool may_repeat = adapter.traits().is_idempotent;
  if (message.is_under_way && ++message.uncertain > 1 && !may_repeat)
    co_return co_await give_up(message, "The box was stopped twice while it sent the message; it may have arrived.");
  Sending sending{.key = message.id,
                  .chat = message.chat,
                  .text = message.text,
                  .edits = message.edits,
                  .reply_to = message.reply_to,
                  .buttons = message.buttons,
                  .file_name = message.file_name,
                  .content = {},
                  .last_heard = {}};
  const auto peer = system_.tenant(message.owner).get(peers, peer_id(message.channel, message.chat));
  if (peer && !peer->value.is_group) sending.last_heard = peer->value.last_at;
  if (!message.file.empty()) {
    auto reading = read_file(message, adapter.traits().max_file_bytes);
    auto content = co_await std::move(reading);
    if (!content) co_return co_await give_up(message, "The file cannot be sent: " + content.error().message);
    sending.content = std::move(*content);
  }
  ++message.attempts;
  message.is_under_way = true;
  auto begin = [&](Outbound& stored) {
    stored.attempts = message.attempts;
    stored.uncertain = message.uncertain;
    stored.is_under_way = true;
  };
  co_await system_.modify(outbound, message.owner, message.id, begin);
  const auto result = co_await adapter.send(std::move(sending));
  if (const auto* failure = std::get_if<SendFailure>(&result)) co_return co_await settle(message, *failure, connection);
  co_await finish(message, adapter.traits());
  co_return Step::done;
}

web::Task<> Outbox::finish(const Outbound& message, const Traits& traits) {
  if (!traits.reports_delivery) {
    co_await erase(message.owner, message.id, store::Durability::durable);
    co_return;
  }
  auto edit = [](Outbound& stored) {
    if (stored.progress != Progress::queued) return;  // the report was faster
    stored.progress = Progress::done;
    stored.is_under_way = false;
    stored.failure.clear();
    stored.next_at.reset();
  };
  co_await system_.modify(outbound, message.owner, message.id, edit);
}

web::Task<> Outbox::erase(store::UserId owner, const std::string& id, store::Durability durability) {
  const auto row = system_.get(outbound, owner, id);
  if (!row) co_return;
  auto change = system_.change();
  change.erase(outbound, *row);
  co_await change.commit(durability);
}

web::Task<Outbox::Step> Outbox::settle(const Outbound& message, const SendFailure& failure, Connection& connection) {
  const auto uncertain = message.uncertain + (failure.may_have_arrived ? 1 : 0);
  const bool is_once_too_often = uncertain > 1 && !connection.adapter->traits().is_idempotent;
  const bool is_old = store::now() > message.created_at + patience;
  const bool is_lost_edit = failure.is_final && !message.edits.empty();  // the message to edit is gone
  if (((failure.is_final && !is_lost_edit) || is_once_too_often || is_old) && !failure.is_refused)
    co_return co_await give_up(message, failure.reason);
  const auto pause = failure.retry_after.value_or(pause_after(message.attempts));
  if (failure.retry_after) connection.not_before = std::chrono::steady_clock::now() + *failure.retry_after;
  const bool is_edit_dropped = is_lost_edit && !failure.is_refused;
  auto edit = [&](Outbound& stored) {
    stored.uncertain = uncertain;
    stored.is_under_way = false;
    stored.failure = failure.reason;
    if (is_edit_dropped) stored.edits.clear();
    stored.next_at = store::now() + (is_edit_dropped ? std::chrono::milliseconds(0) : pause);
  };
  co_await system_.modify(outbound, message.owner, message.id, edit);
  if (failure.is_refused) {
    // Signing in again shows whether the credentials are still valid; the message waits for that.
    connections_.refresh(message.owner, message.channel);
    co_return Step::parked;
  }
  co_return Step::later;
}

web::Task<Outbox::Step> Outbox::give_up(const Outbound& message, std::string reason) {
  web::log::warning("channel_message_dead", {{"channel", message.channel}, {"reason", reason}});
  auto edit = [&](Outbound& stored) {
    stored.progress = Progress::failed;
    stored.failure = reason;
    stored.is_under_way = false;
    stored.next_at.reset();
  };
  co_await system_.modify(outbound, message.owner, message.id, edit);
  co_return Step::done;
}

web::Task<web::Result<std::string>> Outbox::read_file(const Outbound& message, std::size_t max_bytes) {
  const auto workspace = folder_ / message.agent / "workspace";
  const auto read = [workspace, path = message.file, max_bytes] { return read_beneath(workspace, path, max_bytes); };
  co_return co_await web::offload(files_, read);
}

// Messages that waited a day for their channel become dead letters; dead letters go after a month.
web::Task<> Outbox::prune() {
  const auto now = store::now();
  for (const auto& message : system_.find_range(outbound, "next", store::Time(), now - patience, max_waiting)) {
    if (message.created_at > now - patience) continue;
    auto giving_up =
        give_up(message, message.failure.empty() ? "The channel was not connected for a day." : message.failure);
    co_await std::move(giving_up);
  }
  std::vector<Outbound> old;
  system_.each(outbound, [&](const Outbound& message) {
    const bool is_dead = message.progress == Progress::failed && message.created_at < now - dead_letters_kept;
    const bool is_taken = message.progress == Progress::done && message.created_at < now - reports_awaited;
    if (is_dead || is_taken) old.push_back(message);
    return true;
  });
  for (const auto& message : old) co_await erase(message.owner, message.id, store::Durability::relaxed);
}

std::vector<Target> owner_accounts(const store::System& system, store::UserId owner, const std::string& agent) {
  constexpr std::size_t max_people = 1'000;
  const auto tenant = system.tenant(owner);
  std::vector<Target> accounts;
  for (const auto& channel : tenant.find(table, "agent", agent)) {
    if (channel.state == State::off || channel.state == State::rejected) continue;
    for (auto& peer : tenant.find(peers, "channel", channel.id, max_people))
      if (peer.standing == Standing::owner)
        accounts.push_back({.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat});
  }
  return accounts;
}

}  // namespace channels
