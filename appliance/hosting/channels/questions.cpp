#include "appliance/hosting/channels/questions.h"

#include <algorithm>

#include "appliance/hosting/gate/messages.h"

namespace channels {

namespace {

using namespace std::chrono_literals;

constexpr auto round_pause = 1s;
constexpr std::size_t at_once = 200, max_people = 1'000, max_act_bytes = 2'500;
constexpr std::string_view prefix = "ask:", allow = ":allow", refuse = ":refuse";

// Counted once for each question, in the change that sends it.
store::CounterName sent_mark(const gate::Ask& ask) { return {"channel_asks/" + ask.id}; }

std::string question_text(const gate::Ask& ask) {
  auto act = gate::shown_act(ask, max_act_bytes);
  std::ranges::replace(act, '`', '\'');  // nothing in it ends the block
  auto text = "**May I do this?**\n\n" + gate::in_one_line(ask.title) + "\n\n```\n" + act + "\n```";
  if (!ask.reason.empty()) text += "\n\n> " + gate::in_one_line(ask.reason);
  return text;
}

}  // namespace

OwnerQuestions::OwnerQuestions(store::System system, gate::Gate& gate, Connections& connections, Outbox& outbox,
                               IsWanted is_wanted, boost::asio::io_context& home)
    : system_(std::move(system)),
      gate_(gate),
      connections_(connections),
      outbox_(outbox),
      is_wanted_(std::move(is_wanted)),
      rounds_(home, "questions on channels", round_pause, [this] { return look(); }) {}

web::Task<> OwnerQuestions::look() {
  if (!connections_.has_any()) co_return;
  std::string from = "ask_";
  for (bool is_last = false; !is_last;) {
    const auto some = system_.find_range(gate::asks, "pending", from, std::string("ask_~"), at_once);
    is_last = some.size() < at_once;
    if (!some.empty()) from = some.back().id + '\0';
    for (const auto& ask : some)
      if (ask.state == gate::State::waiting && !ask.agent.empty() && system_.counter(ask.owner, sent_mark(ask)) == 0 &&
          is_wanted_(ask))
        co_await ask_on_channels(ask);
  }
}

web::Task<> OwnerQuestions::ask_on_channels(const gate::Ask& ask) {
  const auto tenant = system_.tenant(ask.owner);
  std::vector<Outbound> messages;
  for (const auto& channel : tenant.find(table, "agent", ask.agent)) {
    if (channel.state != State::connected) continue;
    for (const auto& peer : tenant.find(peers, "channel", channel.id, max_people)) {
      if (peer.standing != Standing::owner) continue;
      const Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = peer.chat};
      auto parts = outbox_.compose(target, question_text(ask));
      if (parts.empty()) continue;
      if (const auto connection = connections_.find(channel.id)) {
        const TextLimit limit{.length = connection->adapter->traits().button_text};
        if (limit.length > 0 && measure(parts.back().text, limit) > limit.length)
          for (auto& part : outbox_.compose(target, "**May I do this?**")) parts.push_back(std::move(part));
      }
      parts.back().buttons = {{"Allow", std::string(prefix) + ask.id + std::string(allow)},
                              {"Refuse", std::string(prefix) + ask.id + std::string(refuse)}};
      for (auto& part : parts) messages.push_back(std::move(part));
    }
  }
  if (messages.empty()) co_return;
  auto change = tenant.change();
  change.add(ask.owner, sent_mark(ask), 1, 1);
  Outbox::add(change, messages);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) outbox_.wake(messages);
}

web::Task<> OwnerQuestions::pressed(const Channel& channel, const Peer& peer, Received press) {
  const std::string_view data = press.button;
  const bool is_allowed = data.ends_with(allow);
  if (peer.standing != Standing::owner || !data.starts_with(prefix) || (!is_allowed && !data.ends_with(refuse)))
    co_return;
  const auto end = is_allowed ? allow.size() : refuse.size();
  const std::string id(data.substr(prefix.size(), data.size() - prefix.size() - end));
  gate::Answer answer{.is_allowed = is_allowed, .by = "channel:" + channel.id};
  auto answered = co_await gate_.answer(channel.owner, id, std::move(answer));
  std::string said = is_allowed ? "Allowed." : "Refused.";
  if (!answered) said = answered.error().message;
  const auto ask = gate_.find(channel.owner, id);
  if (ask) said = ask->title + "\n\n**" + said + "**";
  const Target target{.owner = peer.owner, .agent = peer.agent, .channel = peer.channel, .chat = press.chat};
  const auto messages = outbox_.compose(target, said, press.message);
  auto change = system_.tenant(channel.owner).change();
  Outbox::add(change, messages);
  co_await change.commit();
  outbox_.wake(messages);
}

}  // namespace channels
