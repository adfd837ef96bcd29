#include "appliance/hosting/channels/module.h"

#include "appliance/hosting/module.h"
#include "web/log.h"

namespace channels {

namespace {

AdapterSettings adapter_settings(const hosting::Module& module) {
  const auto& settings = module.platform.settings;
  return {.telegram_api_url = settings.telegram_api_url,
          .user_reach = settings.summarizer_allow_private ? web::Reach::configured : web::Reach::public_only,
          .site = [&module] { return module.identity.site.origin(); }};
}

}  // namespace

Messaging::Messaging(hosting::Module& module)
    : hosting_(module),
      connections_(
          module.platform.system, adapter_settings(module),
          [this](const Channel& channel) { return channels_.why_off(channel); }, module.platform.home),
      channels_(module.platform.system, module.agents.directory, connections_),
      outbox_(module.platform.system, connections_, module.platform.folder.agents(), module.platform.blocking,
              module.platform.home),
      admission_(module.platform.system, module.agents.directory, connections_, outbox_),
      files_(module.uploads, module.platform.folder.agents(), module.platform.blocking),
      responder_(module.platform.system, module.agents.directory, module.chat, connections_, outbox_, files_,
                 module.platform.home),
      questions_(module.platform.system, module.gate, connections_, outbox_, module.platform.home) {
  connections_.when_received(
      [this](const Channel& channel, std::vector<Received> received) { return take(channel, std::move(received)); });
  connections_.when_connected([this](const Channel& channel) { outbox_.resume(channel); });
  admission_.when_pressed([this](const Channel& channel, const Peer& peer, Received press) {
    return questions_.pressed(channel, peer, std::move(press));
  });
}

Services Messaging::services() {
  return {hosting_.platform.system, channels_, connections_, admission_, outbox_, responder_, hosting_.identity.audit};
}

web::Task<> Messaging::start() {
  connections_.start();
  outbox_.start();
  responder_.start();
  questions_.start();
  co_return;
}

web::Task<> Messaging::stop() {
  co_await connections_.stop();
  co_await questions_.stop();
  co_await responder_.stop();
  co_await outbox_.stop();
}

web::Task<> Messaging::take(const Channel& channel, std::vector<Received> received) {
  for (auto& one : received) {
    auto admitted = co_await admission_.admit(channel, std::move(one));
    if (admitted) responder_.take(std::move(*admitted));
  }
}

web::Task<std::size_t> Messaging::send_to_owner(store::UserId user, std::string agent, std::string text) {
  return channels::send_to_owner(hosting_.platform.system, outbox_, user, std::move(agent), std::move(text));
}

web::Task<> Messaging::forget(store::UserId user, std::string agent) {
  return channels_.forget(user, std::move(agent));
}

web::Task<> Messaging::make_channels(store::UserId user, std::string agent, deployments::ChannelTokens tokens) {
  if (!tokens.telegram) co_return;
  NewChannel wanted{.kind = Kind::telegram, .token = std::move(*tokens.telegram), .options = {}};
  const auto made = co_await channels_.create_provisioned(user, std::move(agent), std::move(wanted));
  if (!made) web::log::info("channel_not_provisioned", {{"reason", made.error().message}});
}

}  // namespace channels
