#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/media/module.h"
#include "appliance/media/streams/routes.h"

namespace streams {

namespace {

constexpr std::chrono::minutes reconcile_pause{1}, forget_pause{60};

struct Parts {
  explicit Parts(media::Module& module)
      : streams(module.streams),
        nonces(crypto::derived_key(module.platform.master_key, "wallet nonces"), module.identity.replay_guard),
        wallets(nonces, module.identity.rpc, module.identity.identities, module.identity.site),
        gate(wallets, module.identity.gating,
             {.asks_for_tokens = module.platform.settings.stream_token_gating,
              .requires_proof = module.platform.settings.stream_require_proof}),
        reconciler(module.platform.home, "streams", reconcile_pause, [this] { return streams.reconcile(); }),
        sweeper(module.platform.home, "stream_events", forget_pause, [this] { return streams.forget_events(); }) {
    module.hosting.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.streams.remove_of_agent(user, std::move(agent));
    });
    module.hosting.create_streams_with(
        [&module](agents::Agent agent) -> web::Task<std::optional<deployments::AgentStream>> {
          const auto stream = co_await module.streams.provide(agent.owner, agent.id, agent.name, agent.plan);
          if (!stream) co_return std::nullopt;
          co_return deployments::AgentStream{.id = stream->id, .key = stream->key.clear};
        });
    auto part = personal_data::rows_of(module.platform.system, streams::streams);
    part.erase = [this](store::UserId user) -> web::Task<> {
      for (const auto& stream : streams.list(user)) static_cast<void>(co_await streams.remove(user, stream.id));
    };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() { return {streams, gate}; }

  web::Task<> start() {
    reconciler.start();
    sweeper.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweeper.stop();
    co_await reconciler.stop();
  }

  Streams& streams;
  wallet_sign_in::Nonces nonces;
  wallet_sign_in::WalletSignIn wallets;
  RadioGate gate;
  agentbox::Periodic reconciler, sweeper;
};

}  // namespace

media::Capability capability() {
  return media::Capability::of<Parts>(
      {.tables = {store::describe(streams), store::describe(stream_events)}, .web = web_routes});
}

}  // namespace streams
