#include "appliance/hosting/chat/chat.h"

#include <gmock/gmock.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <future>

#include "tests/hosting/agent_box.h"

namespace chat_test {

using namespace agent_tests;
using testing::HasSubstr;

class Chat : public AgentBoxTest {
 protected:
  web::Result<chat::Answer> say(const agents::Agent& agent, std::string text) {
    return box->run(box->chat->send(owner.user_id, agent.id, std::move(text)));
  }
  std::vector<chat::Message> history(const agents::Agent& agent, std::size_t limit = 50, std::string before = {}) {
    chat::Slice slice;
    slice.agent = agent.id;
    slice.limit = limit;
    slice.before = std::move(before);
    return box->chat->history(owner.user_id, slice).value();
  }
};

TEST_F(Chat, AnAgentAnswers) {
  const auto agent = running("Ada");
  auto answer = say(agent, "good morning");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.content, "Ada heard: good morning");
  EXPECT_EQ(answer->model, "stand-in");
  EXPECT_EQ(answer->usage.at("total_tokens").as_int64(), 3);
  const auto kept = history(agent);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].role, chat::Role::user);
  EXPECT_EQ(kept[0].content, "good morning");
  EXPECT_EQ(kept[0].delivery, chat::Delivery::answered);
  EXPECT_EQ(kept[1].role, chat::Role::assistant);
  EXPECT_EQ(kept[1].id, answer->message.id);
}

TEST_F(Chat, HistoryComesInPagesAndSurvivesACrash) {
  const auto agent = running("Ada"), other = running("Bob");
  for (auto text : {"one", "two", "three"}) {
    ASSERT_TRUE(say(agent, text));
    ASSERT_TRUE(say(other, text));
  }
  crash_and_come_back();
  const auto last = history(agent, 3);
  ASSERT_EQ(last.size(), 3u);
  EXPECT_EQ(last[0].content, "Ada heard: two");
  EXPECT_EQ(last[2].content, "Ada heard: three");
  const auto before = history(agent, 50, last[0].id);
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(before[0].content, "one");
  EXPECT_EQ(before[2].content, "two");
  EXPECT_TRUE(history(agent, 50, before[0].id).empty());
}

TEST_F(Chat, MessagesOfEarlierVersionsAreInTheOwnersFirstConversation) {
  const auto agent = running("Ada");
  const auto at = store::now() - std::chrono::hours(1);
  auto change = box->store->system().tenant(owner.user_id).change();
  for (const std::string text : {"old one", "old two"}) {
    const auto digits = std::to_string(at.time_since_epoch().count());
    change.insert(chat::messages, chat::Message{.owner = owner.user_id,
                                                .id = agent.id + "." + digits + "-" + text.substr(4),
                                                .agent = agent.id,
                                                .role = chat::Role::user,
                                                .content = text,
                                                .model = {},
                                                .delivery = chat::Delivery::answered,
                                                .failure = {},
                                                .created_at = at,
                                                .conversation = {}});
  }
  ASSERT_TRUE(change.commit_blocking().ok());
  ASSERT_TRUE(say(agent, "new"));
  auto peer = chat::Sender::of_peer(chat::Channel::a2a, "user:9", 9, "topic");
  ASSERT_TRUE(box->run(box->chat->send(owner.user_id, agent.id, "of a peer", peer)));
  const auto texts = [&](std::string conversation, std::size_t limit, std::string before = {}) {
    chat::Slice slice{.agent = agent.id, .conversation = std::move(conversation), .limit = limit};
    slice.before = std::move(before);
    return box->chat->history(owner.user_id, slice).value();
  };
  const auto contents = [](const std::vector<chat::Message>& messages) {
    std::vector<std::string> found;
    for (const auto& message : messages) found.push_back(message.content);
    return found;
  };
  const auto first = chat::first_conversation_id(agent.id);
  const auto all = texts(first, 50);
  EXPECT_THAT(contents(all), testing::ElementsAre("old one", "old two", "new", "Ada heard: new"));
  EXPECT_THAT(contents(texts(first, 3)), testing::ElementsAre("old two", "new", "Ada heard: new"));
  EXPECT_THAT(contents(texts(first, 1, all[2].id)), testing::ElementsAre("old two"));
  EXPECT_THAT(contents(texts(first, 9, all[1].id)), testing::ElementsAre("old one"));
  const auto of_peer = chat::conversation_id(agent.id, chat::Channel::a2a, "user:9", "topic");
  EXPECT_THAT(contents(texts(of_peer, 50)), testing::ElementsAre("of a peer", "Ada heard: of a peer"));
  EXPECT_FALSE(box->run(box->chat->send(owner.user_id, agent.id, "hi", chat::Sender::in(of_peer))));
  EXPECT_FALSE(box->run(box->chat->send(owner.user_id, agent.id, "hi", chat::Sender::in("c_none"))));
}

TEST_F(Chat, AFailureKeepsTheMessageWithItsCause) {
  const auto agent = running("broken");
  auto answer = say(agent, "hello?");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::bad_gateway);
  EXPECT_EQ(answer.error().message, "The agent did not answer: the model is on fire.");
  const auto kept = history(agent);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].delivery, chat::Delivery::failed);
  EXPECT_EQ(kept[0].failure, answer.error().message);
}

TEST_F(Chat, ATimeoutIsDistinguishedFromAFailure) {
  const auto agent = running("late");
  auto answer = say(agent, "hello?");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::timeout);
  EXPECT_EQ(answer.error().message, "The agent did not answer: its gateway answered with status 504.");
}

// A question the agent never answers, and the one who waits for it.
class UnansweredQuestion : public Chat {
 protected:
  // What still waits goes before the signal it listens to.
  ~UnansweredQuestion() override { crash_and_come_back(); }

  void ask() {
    auto& home = box->pool.at(1);
    boost::asio::co_spawn(
        home, box->chat->send(owner.user_id, agent.id, "are you there?"),
        boost::asio::bind_cancellation_slot(cut.slot(), [this](std::exception_ptr, auto) { ended.set_value(); }));
    ASSERT_TRUE(eventually([&] { return !history(agent).empty(); }));
  }
  void expect_cut_off() {
    const auto kept = history(agent);
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].delivery, chat::Delivery::failed);
    EXPECT_EQ(kept[0].failure, "The box was interrupted before the agent answered.");
  }

  const agents::Agent agent = running("silent");
  boost::asio::cancellation_signal cut;
  std::promise<void> ended;
};

TEST_F(UnansweredQuestion, IsSentWhileTheBoxWaits) {
  ask();
  EXPECT_EQ(history(agent)[0].delivery, chat::Delivery::sent);
}

TEST_F(UnansweredQuestion, FailsWithABoxThatCrashes) {
  ask();
  crash_and_come_back();
  expect_cut_off();
}

TEST_F(UnansweredQuestion, FailsWithAConnectionThatIsCut) {
  ask();
  boost::asio::post(box->pool.at(1), [this] { cut.emit(boost::asio::cancellation_type::terminal); });
  ended.get_future().wait();
  expect_cut_off();
}

TEST_F(UnansweredQuestion, FailsWithAnAgentThatIsStopped) {
  ask();
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, agent.id)));
  ended.get_future().wait();
  const auto kept = history(agent);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].delivery, chat::Delivery::failed);
  EXPECT_THAT(kept[0].failure, HasSubstr("The agent did not answer: "));
}

TEST_F(Chat, AStoppedAgentRefuses) {
  const auto agent = running("Ada");
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, agent.id)));
  auto answer = say(agent, "hello?");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::conflict);
  EXPECT_TRUE(history(agent).empty());
}

TEST_F(Chat, AnAgentOfAnotherOwnerIsNotFound) {
  const auto agent = running("Ada");
  auto answer = box->run(box->chat->send(stranger.user_id, agent.id, "hello"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::not_found);
  chat::Slice slice;
  slice.agent = agent.id;
  EXPECT_FALSE(box->chat->history(stranger.user_id, slice));
}

}  // namespace chat_test
