#include "appliance/hosting/channels/module.h"

#include "appliance/hosting/module.h"
#include "appliance/models/media_api/handlers.h"
#include "web/log.h"

namespace channels {

namespace {

AdapterSettings adapter_settings(const hosting::Module& module) {
  const auto& settings = module.platform.settings;
  return {.telegram_api_url = settings.telegram_api_url,
          .slack_api_url = settings.slack_api_url,
          .discord_api_url = settings.discord_api_url,
          .whatsapp_api_url = settings.whatsapp_api_url,
          .user_reach = settings.summarizer_allow_private ? web::Reach::configured : web::Reach::public_only,
          .site = [&module] { return module.identity.site.origin(); }};
}

web::Task<web::Result<std::string>> write_down(hosting::Module& module, web::Caller caller, std::string sound) {
  auto& gateway = module.models.gateway;
  auto payer = gateway.policy().payer_of(caller);
  if (!payer) co_return payer.error();
  co_return co_await models::media_api::write_down(gateway, std::move(*payer), std::move(sound));
}

}  // namespace

Messaging::Messaging(hosting::Module& module)
    : hosting_(module),
      connections_(
          module.platform.system, adapter_settings(module),
          [this](const Channel& channel) { return channels_.why_off(channel); }, module.platform.home),
      channels_(module.platform.system, module.agents.directory, module.identity.groups, connections_,
                module.engine->has_images()),
      outbox_(module.platform.system, connections_, module.platform.folder.agents(), module.platform.blocking,
              module.platform.home),
      admission_(module.platform.system, module.agents.directory, connections_, outbox_),
      files_(module.uploads, module.platform.folder.agents(), module.platform.blocking,
             [&module](store::UserId owner, std::string agent, std::string sound) {
               web::Caller caller;
               caller.user_id = owner;
               caller.agent = std::move(agent);
               return write_down(module, std::move(caller), std::move(sound));
             }),
      responder_(module.platform.system, module.agents.directory, module.chat, connections_, outbox_, files_,
                 module.platform.home),
      questions_(
          module.platform.system, module.gate, connections_, outbox_,
          [&module](const gate::Ask& ask) { return module.notices.may_ask_on_channels(ask.owner); },
          module.platform.home) {
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

std::size_t Messaging::count_owner_accounts(store::UserId user, const std::string& agent) const {
  return owner_accounts(hosting_.platform.system, user, agent).size();
}

std::function<void()> Messaging::add_to_owner(store::Change& change, store::UserId user, const std::string& agent,
                                              const std::string& text) {
  std::vector<Outbound> messages;
  for (const auto& account : owner_accounts(hosting_.platform.system, user, agent))
    for (auto& message : outbox_.compose(account, text)) messages.push_back(std::move(message));
  Outbox::add(change, messages);
  return [this, messages = std::move(messages)] { outbox_.wake(messages); };
}

web::Task<> Messaging::forget(store::UserId user, std::string agent) {
  return channels_.forget(user, std::move(agent));
}

web::Task<> Messaging::make_channels(store::UserId user, std::string agent, deployments::ChannelTokens tokens) {
  const std::pair<Kind, std::optional<std::string>*> given[] = {{Kind::telegram, &tokens.telegram},
                                                                {Kind::discord, &tokens.discord},
                                                                {Kind::slack, &tokens.slack},
                                                                {Kind::whatsapp, &tokens.whatsapp}};
  for (const auto& [kind, token] : given) {
    if (!*token) continue;
    NewChannel wanted{.kind = kind, .token = std::move(**token), .options = {}, .secrets = {}};
    const auto made = co_await channels_.create_provisioned(user, agent, std::move(wanted));
    if (!made) web::log::info("channel_not_provisioned", {{"reason", made.error().message}});
  }
}

}  // namespace channels
