#include "appliance/hosting/notices/notices.h"

#include <gmock/gmock.h>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/notices/preferences.h"
#include "appliance/identity/kept_keys.h"
#include "appliance/identity/mail/records.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/scripted_server.h"

namespace notices_test {

using namespace std::chrono_literals;
using namespace notices;
using agent_tests::eventually;
using agent_tests::Loop;
using test_support::http;
using test_support::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr store::UserId ada = 7;

store::Options store_options(const std::filesystem::path& folder) {
  return {.folder = folder,
          .master_key = std::string(32, 'k'),
          .tables = {store::describe(accounts::users), store::describe(identity::kept_keys),
                     store::describe(mail::mails), store::describe(agents::records), store::describe(chat::messages),
                     store::describe(chat::conversations), store::describe(preferences_table),
                     store::describe(notices_table), store::describe(devices_table), store::describe(push_messages)},
          .migrations = {}};
}

// Times of day in UTC, so many hours from now.
std::int64_t hours_from_now(int hours) {
  constexpr std::int64_t day = 24 * 60;
  const auto now = std::chrono::floor<std::chrono::minutes>(store::now());
  const auto minute = (now - std::chrono::floor<std::chrono::days>(now)).count();
  return ((minute + 60 * hours) % day + day) % day;
}

class Notified : public testing::Test {
 protected:
  Notified() {
    accounts::User user{.id = ada, .email = "ada@example.org", .name = "Ada", .referral_code = "ada"};
    user.email_verified = true;
    agents::Agent scout;
    scout.owner = ada;
    scout.id = "ag_scout";
    scout.name = "Scout";
    scout.subdomain = "scout";
    scout.box_token_hash = "hash";
    auto change = store->system().change();
    change.insert(accounts::users, user);
    change.insert(agents::records, scout);
    EXPECT_TRUE(change.commit_blocking().ok());
    open();
  }
  ~Notified() override {
    close();
    loop.stop();
    blocking.join();
  }
  void open() {
    directory.emplace(store->system());
    chat.emplace(store->system(), *directory, chat::ExchangeHooks{}, false, 1s);
    outbox.emplace(store->system(), mail::Smtp{.url = "smtp://example.org", .from = "box@example.org"}, loop.io,
                   blocking, [](const mail::Smtp&, const mail::Letter&) { return std::nullopt; });
    NoticeSources sources{
        .system = store->system(),
        .agents = *directory,
        .chat = *chat,
        .outbox = *outbox,
        .site = site,
        .channels = {.count = [this](store::UserId, const std::string&) { return accounts; },
                     .add = [this](store::Change&, store::UserId, const std::string& agent,
                                   const std::string& text) -> std::function<void()> {
                       return [=, this] { channel_texts.push_back(agent + ": " + text); };
                     }},
        .is_answered = [this](store::UserId, std::string_view) { return is_answered; },
        .push = {.reach = web::Reach::configured, .contact = [] { return "mailto:box@example.org"; }}};
    box.emplace(std::move(sources), loop.io);
    loop.run(start());
  }
  void close() {
    if (box) loop.run(stop());
    box.reset();
  }
  web::Task<int> start() {
    co_await box->start();
    co_return 0;
  }
  web::Task<int> stop() {
    co_await box->stop();
    co_return 0;
  }
  Sent report(std::string text, bool is_urgent = false, Kind kind = Kind::health) {
    return loop.run(box->report(ada, {.kind = kind,
                                      .agent = "ag_scout",
                                      .is_urgent = is_urgent,
                                      .subject = {},
                                      .text = std::move(text),
                                      .path = "/agents/ag_scout"}));
  }
  void prefer(Preferences wanted) {
    wanted.owner = ada;
    wanted.time_zone = "UTC";
    const auto done = loop.run(box->set_preferences(std::move(wanted)));
    ASSERT_TRUE(done) << done.error().message;
  }
  Preferences quiet_now() {
    Preferences wanted;
    wanted.quiet_from = hours_from_now(-1);
    wanted.quiet_until = hours_from_now(1);
    return wanted;
  }
  void add_device(const std::string& endpoint) {
    const Subscription subscription{
        .endpoint = endpoint,
        .public_key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        .secret = "BTBZMqHH6r4Tts7J_aSIgg"};
    const auto added = loop.run(box->push().add(ada, "Chromium", subscription));
    ASSERT_TRUE(added) << added.error().message;
  }
  std::vector<std::string> subjects() const {
    std::vector<std::string> found;
    for (const auto& mail : outbox->list(100)) found.push_back(mail.subject);
    return found;
  }

  test_support::TemporaryFolder folder;
  std::unique_ptr<store::Store> store = store::Store::open(store_options(folder.path()));
  Loop loop;
  boost::asio::thread_pool blocking{1};
  agentbox::Site site{"https://box.example.org"};
  std::optional<agents::AgentDirectory> directory;
  std::optional<chat::Chat> chat;
  std::optional<mail::Outbox> outbox;
  std::optional<Notices> box;
  std::size_t accounts = 1;
  bool is_answered = false;
  std::vector<std::string> channel_texts;
};

TEST_F(Notified, ANoticeTakesEveryChosenWayAtOnce) {
  ScriptedServer service({http(201, "")});
  add_device(service.url() + "/push/one");
  const auto sent = report("It does not answer.");
  EXPECT_THAT(sent.ways, ElementsAre(Way::channels, Way::email, Way::push));
  EXPECT_EQ(sent.devices, 1u);
  EXPECT_THAT(channel_texts, ElementsAre("ag_scout: It does not answer."));
  EXPECT_THAT(subjects(), ElementsAre("Scout: It does not answer."));
  ASSERT_TRUE(eventually([&] { return !service.received().empty(); }));
  const auto request = service.received().front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/push/one");
  EXPECT_THAT(request.head, HasSubstr("vapid t="));
  EXPECT_TRUE(eventually([&] { return box->push().devices(ada).front().last_used_at.has_value(); }));
  EXPECT_EQ(box->recent(ada, 10).front().sent_by.size(), 3u);
}

TEST_F(Notified, OnlyTheFirstWayThatReachesTheUserIfThatIsChosen) {
  Preferences wanted;
  wanted.first_only = true;
  wanted.ways = {Way::push, Way::channels, Way::email};
  prefer(wanted);
  EXPECT_THAT(report("One").ways, ElementsAre(Way::channels)) << "there is no device";
  EXPECT_TRUE(box->may_ask_on_channels(ada));
  add_device("http://127.0.0.1:9/push");
  EXPECT_THAT(report("Two").ways, ElementsAre(Way::push));
  EXPECT_FALSE(box->may_ask_on_channels(ada));
  wanted.ways.clear();
  prefer(wanted);
  EXPECT_TRUE(report("Three").ways.empty());
  EXPECT_EQ(box->recent(ada, 10).size(), 3u);
}

TEST_F(Notified, QuietHoursHoldBackWhatIsThenSentTogether) {
  prefer(quiet_now());
  EXPECT_TRUE(report("One").at.has_value());
  EXPECT_TRUE(report("Two", true).at.has_value());
  EXPECT_FALSE(box->may_ask_on_channels(ada));
  auto disturbed = quiet_now();
  disturbed.urgent_when_quiet = true;
  prefer(disturbed);
  ASSERT_TRUE(eventually([&] { return channel_texts.size() == 1; }));
  EXPECT_EQ(channel_texts.front(), "ag_scout: Two") << "the urgent one alone";
  EXPECT_TRUE(report("Three").at.has_value());
  close();
  open();
  prefer({});
  ASSERT_TRUE(eventually([&] { return channel_texts.size() == 2; }));
  EXPECT_THAT(channel_texts.back(), HasSubstr("**2 notices**"));
  EXPECT_THAT(channel_texts.back(), HasSubstr(": One\n"));
  EXPECT_THAT(channel_texts.back(), HasSubstr(": Three"));
  EXPECT_THAT(subjects(), ElementsAre("2 notices from your agents", "Scout: Two"));
}

TEST_F(Notified, ADigestWaitsForItsHourUnlessTheNoticeIsUrgent) {
  Preferences wanted;
  wanted.digest_at = hours_from_now(3);
  prefer(wanted);
  const auto held = report("One");
  ASSERT_TRUE(held.at.has_value());
  EXPECT_GT(*held.at, store::now() + 2h + 58min);
  EXPECT_LE(*held.at, store::now() + 3h);
  EXPECT_FALSE(report("Two", true).at.has_value());
  EXPECT_THAT(channel_texts, ElementsAre("ag_scout: Two"));
}

TEST_F(Notified, AQuestionThatWasAnsweredMeanwhileIsNotSent) {
  prefer(quiet_now());
  report("May I?", true, Kind::question);
  is_answered = true;
  prefer({});
  ASSERT_TRUE(eventually([&] { return !box->recent(ada, 1).front().due_at; }));
  EXPECT_TRUE(box->recent(ada, 1).front().sent_by.empty());
  EXPECT_TRUE(subjects().empty());
}

TEST_F(Notified, AForgottenBrowserIsRemovedAndABusyServiceAskedAgain) {
  ScriptedServer gone({http(410, "")}), busy({http(429, "", "Retry-After: 1\r\n"), http(201, "")});
  add_device(gone.url() + "/push");
  add_device(busy.url() + "/push");
  report("One");
  EXPECT_TRUE(eventually([&] { return box->push().devices(ada).size() == 1; }));
  EXPECT_TRUE(eventually([&] { return busy.received().size() == 2; }));
  EXPECT_TRUE(eventually([&] { return box->push().devices(ada).front().error.empty(); }));
  EXPECT_TRUE(store->system().tenant(ada).list(push_messages).empty());
}

TEST_F(Notified, MessagesForABrowserAreBoundedAndSurviveARestart) {
  add_device("http://127.0.0.1:9/push");  // nobody listens there
  for (std::size_t count = 0; count < max_waiting_pushes + 5; ++count) report("Notice " + std::to_string(count));
  EXPECT_LE(store->system().tenant(ada).list(push_messages).size(), max_waiting_pushes);
  const auto key = box->push().public_key();
  close();
  open();
  EXPECT_EQ(box->push().public_key(), key);
  EXPECT_EQ(crypto::from_base64url(key)->size(), 65u);
  EXPECT_EQ(store->system().tenant(ada).list(push_messages).size(), max_waiting_pushes);
}

TEST_F(Notified, AReportWithAMarkIsSentOnce) {
  for (int count = 0; count < 3; ++count)
    box->report_later(ada,
                      {.kind = Kind::limit, .agent = {}, .is_urgent = true, .subject = {}, .text = "Full", .path = "/"},
                      "limit_notices/x");
  EXPECT_TRUE(eventually([&] { return subjects().size() == 1; }));
  EXPECT_EQ(box->recent(ada, 10).size(), 1u);
}

TEST_F(Notified, AnAgentsNoticeIsInItsConversation) {
  const auto sent = loop.run(box->send(ada, {.agent = "ag_scout", .subject = "Harbour", .text = "It is open."}));
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_FALSE(sent->message.empty());
  EXPECT_THAT(channel_texts, ElementsAre("ag_scout: **Harbour**\n\nIt is open."));
  EXPECT_FALSE(loop.run(box->send(ada, {.agent = "ag_nobody", .subject = {}, .text = "x"})));
}

TEST(SaysNothing, IsTheWholeText) {
  EXPECT_TRUE(says_nothing(" **Nothing to report.**\n"));
  EXPECT_TRUE(says_nothing("NOTHING_TO_REPORT"));
  EXPECT_FALSE(says_nothing("Nothing to report, except for the harbour."));
}

}  // namespace notices_test
