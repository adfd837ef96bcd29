#include "appliance/hosting/channels/responder.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>

#include "appliance/access/records.h"
#include "appliance/hosting/agents/owner_state.h"
#include "appliance/hosting/channels/phrases.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/utf8.h"

namespace channels {

using namespace std::chrono_literals;

// What has arrived of an answer, and the message that shows it.
struct LiveAnswer {
  explicit LiveAnswer(const web::Executor& executor) : changed(executor, web::Timer::time_point::max()) {}

  std::string text;
  bool is_new = false, is_over = false, is_showing = false;
  std::string message;  // the provider's id; empty: nothing is shown yet
  web::Timer changed;   // cancelled when the answer is over, and when nothing is being shown
};

namespace {

constexpr auto edit_interval = 1'000ms, typing_interval = 4'000ms;
constexpr std::chrono::seconds first_pause_of_agent{10}, longest_pause_of_agent{300};
constexpr std::chrono::hours agent_patience{24};
constexpr std::chrono::days events_kept{7};
constexpr std::int64_t max_asked = 2;
// Of one agent: its process has one turn at a time and refuses messages when many wait.
constexpr std::size_t max_at_once = 4;

// Conversations name their channel by the same word.
chat::Channel chat_channel(Kind kind) {
  auto channel = chat::Channel::api;
  boost::describe::enum_from_string(boost::describe::enum_to_string(kind, ""), channel);
  return channel;
}

// A group's name differs from a person's, whatever their addresses are.
std::string peer_name(const Channel& channel, const Peer& peer) {
  return std::string(boost::describe::enum_to_string(channel.kind, "")) + (peer.is_group ? ":group:" : ":") +
         peer.address;
}

chat::Sender sender_of(const Channel& channel, const Peer& peer) {
  const auto topic = peer.topic > 0 ? std::to_string(peer.topic) : std::string();
  if (peer.standing == Standing::owner)
    return chat::Sender::of_owner(chat_channel(channel.kind), peer_name(channel, peer) + "/" + topic);
  if (peer.standing == Standing::visitor)
    return chat::Sender::of_public(chat_channel(channel.kind), peer_name(channel, peer), topic);
  return chat::Sender::of_peer(chat_channel(channel.kind), peer_name(channel, peer), std::nullopt, topic);
}

FilePlace place_of(const Channel& channel, const Peer& peer) {
  FilePlace place{.owner = peer.owner, .agent = peer.agent, .peer = {}, .conversation = {}};
  if (peer.standing == Standing::owner) return place;
  const auto sender = sender_of(channel, peer);
  place.peer = chat::peer_name_at_agent(sender.peer);
  place.conversation = chat::conversation_id(peer.agent, sender.channel, sender.peer, sender.topic);
  return place;
}

// "/stop@scout_bot now" is "/stop".
std::string command_in(std::string_view text) {
  text = web::trim(text, web::white_space);
  if (!text.starts_with('/')) return {};
  const auto word = text.substr(0, text.find_first_of(" @\n"));
  for (const std::string_view known : {"/new", "/stop", "/status", "/model", "/help", "/start"})
    if (web::equal_ignoring_case(word, known)) return std::string(known);
  return {};
}

std::chrono::seconds pause_for_agent(std::int64_t attempts) {
  return std::min(longest_pause_of_agent,
                  first_pause_of_agent * (std::int64_t{1} << std::clamp<std::int64_t>(attempts, 0, 6)));
}

}  // namespace

std::string current_conversation_of(const Channel& channel, const Peer& peer) {
  const auto sender = sender_of(channel, peer);
  return chat::conversation_id(peer.agent, sender.channel, sender.peer, sender.topic);
}

Responder::Responder(store::System system, const agents::AgentDirectory& agents, chat::Chat& chat,
                     Connections& connections, Outbox& outbox, SharedFiles& files, boost::asio::io_context& home)
    : system_(std::move(system)),
      agents_(agents),
      chat_(chat),
      connections_(connections),
      outbox_(outbox),
      files_(files),
      home_(home),
      tasks_(home, "channel_answer_failed"),
      pruning_(home, "channel events", 10min, [this] { return prune(); }) {}

void Responder::start() {
  constexpr std::size_t all = 100'000;
  for (auto& message : system_.find_range(inbound, "next", store::Time(), store::Time::max(), all))
    take(std::move(message));
  pruning_.start();
}

web::Task<> Responder::stop() {
  co_await pruning_.stop();
  co_await tasks_.stop();
}

void Responder::take(Inbound message) {
  boost::asio::post(home_, [this, message = std::move(message)]() mutable {
    if (command_in(message.text).empty())
      enqueue(std::move(message));
    else
      tasks_.spawn("command", command(std::move(message)));
  });
}

void Responder::enqueue(Inbound message) {
  const auto peer = message.peer;
  auto& lane = lanes_[peer];
  const bool is_new = lane.waiting.empty();
  lane.waiting.push_back(std::move(message));
  if (is_new) tasks_.spawn(peer, run_lane(peer));
}

web::Task<> Responder::run_lane(std::string peer) {
  for (;;) {
    auto& lane = lanes_[peer];
    if (lane.waiting.empty()) break;
    auto message = lane.waiting.front();
    bool is_done = true;
    try {
      auto answering = answer(std::move(message));
      is_done = co_await std::move(answering);
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;
      web::log::error("channel_answer_failed", {{"reason", std::string(error.what())}});
    } catch (const std::exception& error) {
      web::log::error("channel_answer_failed", {{"reason", std::string(error.what())}});
    }
    lanes_[peer].exchange.reset();
    if (is_done) lanes_[peer].waiting.pop_front();
  }
  lanes_.erase(peer);
}

web::Task<bool> Responder::answer(Inbound message) {
  const auto tenant = system_.tenant(message.owner);
  const auto row = tenant.get(inbound, message.id);
  if (!row || row->value.progress != Progress::queued) co_return true;
  message = row->value;
  if (message.next_at && *message.next_at > store::now()) {
    co_await web::sleep_for(std::min<std::chrono::milliseconds>(*message.next_at - store::now(), 5s));
    co_return false;
  }
  const auto peer = tenant.get(peers, message.peer);
  const auto connection = connections_.find(message.channel);
  if (!tenant.get(table, message.channel) || !peer || peer->value.standing == Standing::blocked) {
    co_await finish(message, std::string());
    co_return true;
  }
  if (!connection) {  // the channel is off or rejected
    co_await web::sleep_for(1s);
    co_return false;
  }
  if (auto earlier = earlier_answer(message)) {
    const auto place = place_of(connection->channel, peer->value);
    auto linked = co_await files_.linked(place, *earlier);
    co_await finish(message, std::move(*earlier), std::string(), std::move(linked));
    co_return true;
  }
  if (message.asked >= max_asked) {
    co_await finish(message, phrase(Phrase::interrupted, peer->value.language));
    co_return true;
  }
  const auto places = places_at(message.agent);
  co_await places->take();
  const agentbox::Semaphore::Place place(*places);
  const auto current = tenant.get(peers, message.peer);
  const bool is_wanted = current && current->value.standing != Standing::blocked && tenant.get(table, message.channel);
  if (!is_wanted) co_return false;  // changed while others were answered
  co_return co_await ask(message, current->value, *connection);
}

std::shared_ptr<agentbox::Semaphore> Responder::places_at(const std::string& agent) {
  std::erase_if(places_, [](const auto& entry) { return entry.second.expired(); });
  auto shared = places_[agent].lock();
  if (!shared) {
    shared = std::make_shared<agentbox::Semaphore>(home_.get_executor(), max_at_once);
    places_[agent] = shared;
  }
  return shared;
}

// The agent may have answered before the box was stopped.
std::optional<std::string> Responder::earlier_answer(const Inbound& message) const {
  if (message.question.empty()) return std::nullopt;
  const auto question = system_.tenant(message.owner).get(chat::messages, message.question);
  if (!question || question->value.delivery != chat::Delivery::answered) return std::nullopt;
  const auto& conversation = question->value.conversation;
  constexpr std::size_t recent = 20;
  const auto history =
      chat_.history(message.owner, {.agent = message.agent, .conversation = conversation, .limit = recent});
  if (!history) return std::nullopt;
  for (const auto& one : *history) {
    const bool is_answer = one.role == chat::Role::assistant && one.id > message.question;
    if (is_answer && one.failure.empty()) return one.content;
    if (is_answer) break;
  }
  return std::nullopt;
}

web::Task<std::string> Responder::prompt_of(const Inbound& message, const Peer& peer, Adapter& adapter) {
  auto text = peer.is_group ? message.sender + ": " + message.text : message.text;
  if (message.files.empty()) co_return text;
  if (peer.standing == Standing::visitor) co_return text + (text.empty() ? "" : "\n") + "(Files were not accepted.)";
  const auto row = system_.tenant(message.owner).get(table, message.channel);
  if (!row) co_return text;
  auto place = place_of(row->value, peer);
  auto references = message.files;
  const auto said = co_await files_.take(std::move(place), adapter, message.id, std::move(references));
  text += said.starts_with('\n') && text.empty() ? said.substr(1) : said;
  co_return text;
}

web::Task<bool> Responder::ask(const Inbound& message, const Peer& peer, Connection& connection) {
  const auto owner = system_.get(accounts::users, message.owner);
  if (message.owner != 0 && (!owner || owner->value.is_disabled))
    co_return co_await postpone(message, peer, "The account of the agent's owner is disabled.");
  auto& adapter = *connection.adapter;
  auto text = co_await prompt_of(message, peer, adapter);
  auto sender = sender_of(connection.channel, peer);
  auto question = co_await chat_.ask(message.owner, message.agent, std::move(text), std::move(sender));
  if (!question) {
    if (question.error().kind == web::Kind::not_found) {
      co_await finish(message, std::string());
      co_return true;
    }
    co_return co_await postpone(message, peer, question.error().message);
  }
  auto id_of_question = question->message.id;
  co_await note_question(message, std::move(id_of_question));
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto live = std::make_shared<LiveAnswer>(executor);
  lanes_[message.peer].exchange = question->entry;
  tasks_.spawn("progress", show_progress(connections_.find(message.channel), message.chat, live));
  chat::Listener listener = [live](chat::Piece piece) {
    if (const auto* words = std::get_if<std::string>(&piece)) {
      live->text += *words;
      live->is_new = true;
    }
  };
  const auto answered = co_await chat_.answer(std::move(*question), std::move(listener));
  live->is_over = true;
  live->changed.cancel();
  while (live->is_showing) {
    live->changed.expires_at(web::Timer::time_point::max());
    boost::system::error_code woken;
    co_await live->changed.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  if (answered && answered->is_cut_off()) co_return false;  // the box stops: repeated by the next start
  if (!answered) {
    const auto& exchange = lanes_[message.peer].exchange;
    const bool is_stopped = exchange && exchange->stop_signal().is_requested();  // the command has said so
    std::string text_of_failure;
    if (!is_stopped)
      text_of_failure =
          peer.standing == Standing::owner ? answered.error().message : phrase(Phrase::failed, peer.language);
    web::log::info("channel_not_answered", {{"agent", message.agent}, {"reason", answered.error().message}});
    co_await finish(message, std::move(text_of_failure), live->message);
    co_return true;
  }
  auto place = place_of(connection.channel, peer);
  auto linked = co_await files_.linked(std::move(place), answered->message.content);
  co_await finish(message, answered->message.content, live->message, std::move(linked));
  co_return true;
}

// The agent does not wait for the disk: its answer is stored after this, so that a crash that loses this loses that,
// too.
web::Task<> Responder::note_question(const Inbound& message, std::string question) {
  for (bool is_stored = false; !is_stored;) {
    auto row = system_.get(inbound, message.owner, message.id);
    if (!row) co_return;
    row->value.question = question;
    ++row->value.asked;
    auto change = system_.change();
    change.update(inbound, *row);
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    is_stored = outcome.ok();
  }
}

// Shows what has arrived, at most once a second; until there is something, that the agent is writing. Earlier messages
// of the chat go first.
web::Task<> Responder::show_progress(std::shared_ptr<Connection> connection, std::string chat,
                                     std::shared_ptr<LiveAnswer> live) {
  if (!connection) co_return;
  auto& adapter = *connection->adapter;
  const auto traits = adapter.traits();
  auto typed_at = std::chrono::steady_clock::time_point();
  const auto is_next = [&] { return !live->message.empty() || outbox_.is_idle(connection->channel.id, chat); };
  while (!live->is_over) {
    const auto now = std::chrono::steady_clock::now();
    if (live->text.empty() && now - typed_at > typing_interval && is_next()) {
      typed_at = now;
      co_await adapter.typing(chat);
    }
    if (live->is_over) break;
    live->changed.expires_after(edit_interval);
    boost::system::error_code woken;
    co_await live->changed.async_wait(boost::asio::redirect_error(web::use_task, woken));
    const bool is_paused = connection->not_before > std::chrono::steady_clock::now();
    if (live->is_over || !live->is_new || !traits.can_edit || is_paused || !is_next()) continue;
    const auto parts = cut(live->text, traits.text);
    if (parts.empty()) continue;
    live->is_new = false;
    Sending sending{.key = {},
                    .chat = chat,
                    .text = parts.front(),
                    .edits = live->message,
                    .reply_to = {},
                    .buttons = {},
                    .file_name = {},
                    .content = {},
                    .last_heard = {}};
    live->is_showing = true;
    const auto shown = co_await adapter.send(std::move(sending));
    live->is_showing = false;
    live->changed.cancel();
    if (const auto* id = std::get_if<std::string>(&shown)) {
      if (live->message.empty()) live->message = *id;
    } else if (const auto& failure = std::get<SendFailure>(shown); failure.retry_after) {
      connection->not_before = std::chrono::steady_clock::now() + *failure.retry_after;
    }
    if (parts.size() > 1) co_return;  // the rest follows when it is complete
  }
}

web::Task<bool> Responder::postpone(const Inbound& message, const Peer& peer, std::string reason) {
  if (store::now() > message.received_at + agent_patience) {
    co_await finish(message, phrase(Phrase::failed, peer.language));
    co_return true;
  }
  auto edit = [&](Inbound& stored) {
    stored.failure = reason;
    stored.next_at = store::now() + pause_for_agent(stored.attempts++);
  };
  co_await system_.modify(inbound, message.owner, message.id, edit);
  if (message.attempts > 0) co_return false;
  const auto agent = agents_.find(message.owner, message.agent);
  auto excuse = phrase(Phrase::not_running, peer.language, agent ? agent->name : std::string());
  Target target{.owner = message.owner, .agent = message.agent, .channel = message.channel, .chat = message.chat};
  co_await outbox_.send(std::move(target), std::move(excuse));
  co_return false;
}

// The answer and the end of the message in one change, so that a stop of the box neither loses nor doubles it.
web::Task<> Responder::finish(const Inbound& message, std::string markdown, const std::string& edits,
                              std::vector<SharedFiles::Linked> files) {
  const Target target{.owner = message.owner, .agent = message.agent, .channel = message.channel, .chat = message.chat};
  auto messages = outbox_.compose(target, markdown, edits, message.reply_to);
  for (auto& one : files) messages.push_back(Outbox::file(target, std::move(one.path), std::move(one.name)));
  const auto tenant = system_.tenant(message.owner);
  const auto step = [&](store::Change& change) {
    auto row = tenant.get(inbound, message.id);
    if (!row || row->value.progress != Progress::queued) return false;
    row->value.progress = Progress::done;
    row->value.text.clear();
    row->value.files.clear();
    row->value.next_at.reset();
    change.update(inbound, *row);
    Outbox::add(change, messages);
    return true;
  };
  const bool is_first = co_await store::transact(tenant, step);
  if (is_first) outbox_.wake(messages);
}

web::Task<> Responder::command(Inbound message) {
  const auto peer = system_.tenant(message.owner).get(peers, message.peer);
  std::string reply;
  if (peer) reply = reply_to_command(message, peer->value);
  if (peer && command_in(message.text) == "/new") {
    auto edit = [](Peer& stored) { ++stored.topic; };
    co_await system_.modify(peers, message.owner, message.peer, edit);
  }
  co_await finish(message, std::move(reply));
}

std::string Responder::reply_to_command(const Inbound& message, const Peer& peer) {
  const auto agent = agents_.find(message.owner, message.agent);
  if (!agent) return {};
  const auto name = command_in(message.text);
  if (name == "/new") return phrase(Phrase::new_conversation, peer.language);
  if (name == "/status")
    return phrase(Phrase::status, peer.language, boost::describe::enum_to_string(agent->status, ""));
  if (name == "/model")
    return phrase(Phrase::model, peer.language, agent->model == agents::default_model ? "default" : agent->model);
  if (name != "/stop") return phrase(Phrase::help, peer.language, agent->name);
  const auto lane = lanes_.find(message.peer);
  if (lane == lanes_.end() || !lane->second.exchange) return phrase(Phrase::nothing_to_stop, peer.language);
  lane->second.exchange->stop();
  return phrase(Phrase::stopped, peer.language);
}

web::Task<> Responder::prune() {
  constexpr std::size_t at_once = 1'000;
  for (const auto& old : system_.find_range(inbound, "received", store::Time(), store::now() - events_kept, at_once)) {
    const auto row = system_.get(inbound, old.owner, old.id);
    if (!row || row->value.progress == Progress::queued) continue;
    auto change = system_.change();
    change.erase(inbound, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace channels
