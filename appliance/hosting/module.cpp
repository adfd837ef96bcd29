#include "appliance/hosting/module.h"

#include <unistd.h>

#include "appliance/hosting/image_catalogue/image_catalogue.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/hosting/agents/watch_span.h"
#include "appliance/hosting/channels/module.h"
#include "appliance/hosting/mcp_servers/packages.h"
#include "appliance/hosting/notices/reports.h"
#include "appliance/hosting/plan_egress/plan_egress.h"
#include "appliance/runtime/commands.h"
#include "web/json.h"

namespace hosting {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity,
               billing::Module& given_billing, models::Module& given_models, files::Module& given_files,
               OpenAgentListener open_agent_listener, deployments::StreamSource stream_source)
    : platform(given_platform),
      identity(given_identity),
      billing(given_billing),
      models(given_models),
      files(given_files),
      open_agent_listener_(std::move(open_agent_listener)),
      choice_(agentbox::chosen_engine(platform.settings)),
      stream_source_(std::move(stream_source)),
      engine(engine_named(choice_.name)),
      migration_(platform.folder.engine_note(), engine->name(),
                 [this](std::string_view name) { return engine_named(name); }),
      plan_room(platform.system, billing.subscriptions, identity.accounts),
      agents(platform.system, *engine, billing.subscriptions, platform.settings, platform.network, platform.blocking,
             identity.events, dependencies_of_agents()),
      log_hub(*engine, platform.home,
              {.max_streams = platform.settings.streams_total, .max_per_reader = platform.settings.streams_per_user}),
      turns(platform.system),
      chat(platform.system, agents.directory, hooks_of_chat(), platform.settings.conversation_titles),
      conversations(platform.system, agents.directory, platform.folder.agents(), platform.blocking),
      sharing(platform.system, agents.directory, conversations, identity.accounts, identity.groups),
      gate({.system = platform.system,
            .turns = turns,
            .chat = chat,
            .audit = identity.audit,
            .tell_owner = [this](::gate::Ask ask, std::string token) -> web::Task<> {
              auto report = notices::question_report(ask, identity.site.page_url("/ask#" + token));
              co_await notices.report(ask.owner, std::move(report));
            },
            .link_key = crypto::derived_key(platform.master_key, "links of questions")},
           platform.home),
      uploads(platform.system, agents.directory, platform.folder.agents(), platform.folder.path(),
              {platform.folder.path(), platform.settings.disk_reserve}, platform.blocking, platform.uploads),
      command_helper(options_of_command_helper()),
      channels(std::make_unique<channels::Messaging>(*this)),
      notices(sources_of_notices(), platform.home),
      schedule(platform.system, billing.subscriptions,
               schedule::chat_sender(platform.system, chat,
                                     [this](store::UserId user, const std::string& agent) {
                                       return sharing.require(user, agent, ::sharing::Role::builder).has_value();
                                     }),
               schedule::notice_teller(notices), platform.home),
      capabilities_(hosting::capabilities(), *this) {
  uploads.when_received([this](const std::string& agent, const std::string& path) {
    if (const auto found = agents.directory.find(agent))
      turns.taint_file(found->owner, agent, path, "an uploaded file");
  });
  identity.events.agent_removed.subscribe(
      [this](store::UserId owner, std::string agent) { return billing.spans.forget(owner, std::move(agent)); });
  billing.spend_policy.find_shared_turns_by(
      [this](const web::Caller& caller, std::string_view message) { return sharing.turn_of(caller, message); });
  billing.spend_policy.when_refused([this](const usage::Call& call, const std::string& limit, const web::Error& error) {
    auto mark = "limit_notices/" + limit + "/" + web::string_member(error.extra, "resetsAt");
    notices.report_later(call.user_id, ::notices::limit_report(call, error), std::move(mark));
  });
}

Module::~Module() = default;

agents::AgentDependencies Module::dependencies_of_agents() {
  return {.knows_model = [this](std::string_view name) { return models.knows(name); },
          .knows_server = [this](std::string_view name) { return models.has_server(name); },
          .servers = {.why_no_programs = [this] { return programs.why_not ? programs.why_not() : std::string(); },
                      .has_package =
                          [this](std::string_view name) {
                            return mcp_servers::find_package(platform.folder.packages(), name).has_value();
                          }},
          .premium_model = [this](store::UserId user) { return models.premium_model(user); },
          .session_lives =
              [this](std::string_view session, store::UserId user) {
                const auto found = identity.sessions.find_id(session);
                return found && found->user->id == user && !identity.must_enrol(*found->user);
              },
          .has_room = [this](store::UserId user, std::string_view agent) { return plan_room.has_room(user, agent); },
          .rotated =
              [this](const audit::Actor& actor, const ::agents::Agent& agent) {
                return identity.audit.note(audit::entry_by(actor, "gateway token replaced", agent.id));
              },
          .entered = [this](const watchdog::Watch& watch) { billing.spans.record(watchdog::span_of(watch)); },
          .notified =
              [this](const watchdog::Target& agent, watchdog::Notice notice, const std::string& why) {
                notices.report_later(agent.owner, ::notices::health_report(agent, notice, why));
              }};
}

notices::NoticeSources Module::sources_of_notices() {
  ::notices::OwnerChannels owner_channels{
      .count = [this](store::UserId user,
                      const std::string& agent) { return channels->count_owner_accounts(user, agent); },
      .add = [this](store::Change& change, store::UserId user, const std::string& agent,
                    const std::string& text) { return channels->add_to_owner(change, user, agent, text); }};
  return {
      .system = platform.system,
      .agents = agents.directory,
      .chat = chat,
      .outbox = identity.outbox,
      .site = identity.site,
      .channels = std::move(owner_channels),
      .is_answered =
          [this](store::UserId user, std::string_view path) {
            const auto ask = gate.find(user, ::notices::question_of(path));
            return !ask || ask->state != ::gate::State::waiting;
          },
      .push = {.reach = platform.settings.summarizer_allow_private ? web::Reach::configured : web::Reach::public_only,
               .contact = [this] { return contact(); }}};
}

// Of the operator, for push services that want to complain.
std::string Module::contact() const {
  if (!platform.settings.smtp_from.empty()) return "mailto:" + platform.settings.smtp_from;
  return identity.site.origin().starts_with("https://") ? identity.site.origin() : std::string();
}

// A box that is root needs none: it would start commands with fewer rights than the service has.
runtime::CommandHelper::Options Module::options_of_command_helper() const {
  const auto& settings = platform.settings;
  return {.socket = ::geteuid() == 0 ? std::string() : settings.command_helper,
          .agents = std::filesystem::absolute(platform.folder.agents()),
          .packages = std::filesystem::absolute(platform.folder.packages()),
          .tools = runtime::tools_folder(settings.agent_tools)};
}

chat::ExchangeHooks Module::hooks_of_chat() {
  return {.spans = &billing.spans,
          .begin_turn = [this](const ::chat::Conversation& conversation) -> std::shared_ptr<void> {
            return turns.begin(conversation.owner, conversation.agent, conversation.id, gate::source_of(conversation));
          },
          .wants_history =
              [this](const ::agents::Agent& agent) {
                return agent.port && engine->gateway_traits(*agent.port).wants_history;
              }};
}

std::unique_ptr<runtime::Engine> Module::engine_named(std::string_view name) const {
  agentbox::EngineQuestions questions{
      .open_agent_listener = open_agent_listener_,
      .open_proxy = [this](std::string gateway,
                           bool is_needed) { return open_image_proxy(std::move(gateway), is_needed); },
      .is_closed =
          [this](const std::string& id) {
            const auto agent = agents.directory.find(id);
            return agent && plan_egress::egress_of(platform.system, *agent).kind != ::agents::Egress::Kind::web;
          },
      .image_labels = [this](const std::string& image) { return image_catalogue::labels_of(platform.system, image); }};
  return agentbox::make_engine(name, platform.settings, platform.home, platform.blocking, std::move(questions));
}

void Module::set_addresses(agents::BoxAddresses addresses) {
  web_url_ = addresses.web;
  summarizer_url_ = addresses.summarizer;
  backend_url_ = addresses.backend;
  agents.set_addresses(std::move(addresses));
}

web::Task<> Module::start() {
  if (migration_.has_changed()) co_await agents.expect_start("It moves to another engine.");
  std::vector<std::string> all;
  for (auto& agent : agents.directory.list_all(std::size_t(-1))) all.push_back(std::move(agent.id));
  co_await migration_.stop_agents(std::move(all));
  co_await agents.revocation.catch_up();
  co_await agents.start();
  co_await capabilities_.start();
}

web::Task<> Module::stop_streams(std::chrono::seconds prompts_grace) {
  co_await schedule.scheduler.stop(prompts_grace);
  co_await log_hub.stop();
}

web::Task<> Module::stop() {
  co_await capabilities_.stop();
  co_await agents.stop();
}

}  // namespace hosting
