#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/builtin/builtin_intent.h"
#include "appliance/models/builtin/builtin_report.h"
#include "summarizer/sentences.h"
#include "web/utf8.h"

namespace builtin_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace json = boost::json;

models::ChatRequest conversation(std::vector<models::Message> messages) {
  models::ChatRequest request{.messages = std::move(messages)};
  for (const auto* tool : {"summarize_page", "extract_page", "read_file", "write_file", "list_files", "remember",
                           "recall", "forget", "git_status", "git_log", "git_commit"}) {
    request.tools.push_back({.name = tool});
  }
  return request;
}

models::Message user(std::string text) { return {.role = models::Role::user, .content = std::move(text)}; }

struct Understood {
  std::string message, tool, arguments;
};

class BuiltinIntent : public testing::TestWithParam<Understood> {};

TEST_P(BuiltinIntent, BecomesAToolCall) {
  const auto answer = models::builtin_answer(conversation({user(GetParam().message)}));
  ASSERT_EQ(answer.message.tool_calls.size(), 1u) << answer.message.content;
  EXPECT_EQ(answer.message.tool_calls[0].name, GetParam().tool);
  EXPECT_EQ(json::parse(answer.message.tool_calls[0].arguments), json::parse(GetParam().arguments));
  EXPECT_EQ(answer.finish, models::Finish::tool_calls);
}

INSTANTIATE_TEST_SUITE_P(
    Plain, BuiltinIntent,
    testing::Values(
        Understood{"summarize https://example.org/a?b=c.", "summarize_page", R"({"url":"https://example.org/a?b=c"})"},
        Understood{"Please summarise this page for me: <http://x.test/>", "summarize_page",
                   R"({"url":"http://x.test/"})"},
        Understood{"https://example.org", "summarize_page", R"({"url":"https://example.org"})"},
        Understood{"What are the links of https://example.org?", "extract_page", R"({"url":"https://example.org"})"},
        Understood{"read file Notes.txt", "read_file", R"({"path":"Notes.txt"})"},
        Understood{"Show me the file a/b c.txt", "read_file", R"({"path":"a/b c.txt"})"},
        Understood{"read notes.txt", "read_file", R"({"path":"notes.txt"})"},
        Understood{"write Hello, World! to file hi.txt", "write_file",
                   R"({"path":"hi.txt","content":"Hello, World!"})"},
        Understood{"Write \"a to b\" to notes.txt", "write_file", R"({"path":"notes.txt","content":"a to b"})"},
        Understood{"save see https://x.test to file link.txt", "write_file",
                   R"({"path":"link.txt","content":"see https://x.test"})"},
        Understood{"list files", "list_files", "{}"},
        Understood{"List all the files in docs", "list_files", R"({"path":"docs"})"},
        Understood{"what files do you have?", "list_files", "{}"},
        Understood{"Remember that my cat is called Mia", "remember", R"({"text":"my cat is called Mia"})"},
        Understood{"please remember: buy milk", "remember", R"({"text":"buy milk"})"},
        Understood{"What do you remember?", "recall", "{}"},
        Understood{"what do you remember about my cat?", "recall", R"({"query":"my cat"})"},
        Understood{"forget milk", "forget", R"({"query":"milk"})"}, Understood{"git status", "git_status", "{}"},
        Understood{"git log", "git_log", "{}"},
        Understood{"commit with message \"First words\"", "git_commit", R"({"message":"First words"})"}));

TEST(Builtin, CallsOnlyToolsItIsOffered) {
  const auto answer = models::builtin_answer({.messages = {user("list files")}});
  EXPECT_TRUE(answer.message.tool_calls.empty());
  EXPECT_FALSE(answer.message.content.empty());
}

TEST(Builtin, DoesNotTakeConversationForAToolCall) {
  for (const auto* talk :
       {"I read a lot of books", "Do you like to write?", "listen", "remember", "reading is fun", ""}) {
    EXPECT_FALSE(models::intent_of(talk)) << talk;
  }
}

TEST(Builtin, SaysWhatItIs) {
  for (const auto* ask : {"Who are you?", "What model is this? which model", "Tell me about the moon"}) {
    const auto answer = models::builtin_answer(conversation({user(ask)}));
    EXPECT_THAT(answer.message.content, HasSubstr("builtin"));
    EXPECT_THAT(answer.message.content, HasSubstr("no language model"));
    EXPECT_THAT(answer.model, HasSubstr("builtin"));
  }
}

TEST(Builtin, IntroducesItselfOnce) {
  auto request = conversation({user("Tell me about the moon")});
  request.messages.push_back(models::builtin_answer(request).message);
  request.messages.push_back(user("And the sun?"));
  EXPECT_THAT(models::builtin_answer(request).message.content, Not(HasSubstr("no language model is configured")));
}

TEST(Builtin, AnswersFromEarlierMessages) {
  const auto answer = models::builtin_answer(conversation({user("The harbour opens at nine. Fish is sold on Tuesdays."),
                                                           {.role = models::Role::assistant, .content = "Noted."},
                                                           user("When does the harbour open?")}));
  EXPECT_THAT(answer.message.content, HasSubstr("The harbour opens at nine."));
  EXPECT_THAT(answer.message.content, Not(HasSubstr("Tuesdays")));
}

models::Message with_image(std::string text) {
  auto message = user(std::move(text));
  message.parts = {{.url = "https://example.org/a.png"}};
  if (!message.content.empty()) message.parts.push_back({.text = message.content});
  return message;
}

TEST(Builtin, AnswersFromTheTextThatStandsBesideTheQuestion) {
  const std::string text =
      "Lisbon lies by the sea. In 2020 the harbour was extended by two new docks. It rains little.";
  const std::string asked = "When was the harbour extended?";
  for (const auto& message : {asked + " " + text, text + " " + asked, asked + "\n\n" + text, text + "\n" + asked}) {
    const auto answer = models::builtin_answer({.messages = {user(message)}});
    EXPECT_THAT(answer.message.content, HasSubstr("- In 2020 the harbour was extended by two new docks.")) << message;
    EXPECT_THAT(answer.message.content, Not(HasSubstr("It rains little"))) << message;
  }
}

TEST(Builtin, RefusesUnsupportedParametersByName) {
  models::Builtin builtin;
  const auto refusal = [&](const char* options) {
    return builtin.cannot({.messages = {user("Hello?")}, .options = json::parse(options).as_object()}).value_or("");
  };
  EXPECT_EQ(refusal(R"({"response_format":{"type":"json_object"}})"),
            "response_format is not supported by agentbox/builtin");
  EXPECT_EQ(refusal(R"({"logit_bias":{"5":1}})"), "logit_bias is not supported by agentbox/builtin");
  EXPECT_THAT(refusal(R"({"tool_choice":"required"})"),
              HasSubstr("tool_choice must be auto or none for agentbox/builtin"));
  EXPECT_THAT(refusal(R"({"tool_choice":{"type":"function","function":{"name":"recall"}}})"), HasSubstr("tool_choice"));
  EXPECT_EQ(refusal(R"({"response_format":{"type":"text"},"tool_choice":"auto","seed":7})"), "");
}

TEST(Builtin, ObeysToolChoiceAndStop) {
  auto request = conversation({user("list files")});
  request.options["tool_choice"] = "none";
  EXPECT_TRUE(models::builtin_answer(request).message.tool_calls.empty());
  const auto answer = models::builtin_answer({.messages = {user("Who are you?")}, .stop = {"configured", "inside"}});
  EXPECT_EQ(answer.message.content, "I am builtin, the text model ");
  EXPECT_EQ(answer.finish, models::Finish::stop);
}

TEST(Builtin, SaysThatItHasSeenNoImage) {
  const auto* blind = "I have not seen the images of your message.";
  const std::string text = "The harbour opens at nine. When does the harbour open?";
  EXPECT_THAT(models::builtin_answer({.messages = {with_image(text)}}).message.content, HasSubstr(blind));
  EXPECT_THAT(models::builtin_answer({.messages = {user(text)}}).message.content, Not(HasSubstr(blind)));
  const auto later = models::builtin_answer({.messages = {with_image(text), user("And now?")}});
  EXPECT_THAT(later.message.content, Not(HasSubstr(blind))) << "it was told when it was asked";

  auto request = conversation({with_image("list files")});
  request.messages.push_back(models::builtin_answer(request).message);
  ASSERT_THAT(request.messages.back().tool_calls, testing::SizeIs(1));
  EXPECT_EQ(request.messages.back().content, "");
  request.messages.push_back({.role = models::Role::tool,
                              .content = R"({"entries":[]})",
                              .tool_call_id = request.messages.back().tool_calls[0].id});
  EXPECT_THAT(models::builtin_answer(request).message.content, HasSubstr(blind)) << "also when a tool answers";
}

TEST(Builtin, RefusesAMessageOfNothingButImages) {
  const models::Builtin builtin;
  EXPECT_EQ(builtin.cannot({.messages = {user("Hello"), with_image(" \n")}}),
            "messages[1].content: agentbox/builtin reads no images, and there is no text beside them");
  EXPECT_EQ(builtin.cannot({.messages = {with_image("What is this?")}}), std::nullopt);
  EXPECT_EQ(builtin.cannot({.messages = {with_image(""), user("What is this?")}}), std::nullopt);
}

TEST(Builtin, ReportsToolResults) {
  auto request = conversation({user("summarize https://x.test")});
  request.messages.push_back(models::builtin_answer(request).message);
  request.messages.push_back(
      {.role = models::Role::tool,
       .content = R"({"url":"https://x.test","title":"Storks","description":"","headings":[],"paragraphs":[
           "Storks nest on roofs. The nest of a stork weighs a ton. It rained."],"wordCount":12})",
       .tool_call_id = request.messages.back().tool_calls[0].id});
  const auto answer = models::builtin_answer(request);
  EXPECT_TRUE(answer.message.tool_calls.empty());
  EXPECT_THAT(answer.message.content, HasSubstr("Storks (https://x.test)"));
  EXPECT_THAT(answer.message.content, HasSubstr("The nest of a stork weighs a ton."));
}

TEST(Builtin, ReportsErrorsAndUnknownShapes) {
  EXPECT_THAT(models::report_tool_result("read_file", R"({"path":"x"})", R"({"error":"There is no such file"})"),
              HasSubstr("There is no such file"));
  EXPECT_THAT(models::report_tool_result("git_log", "{}", R"({"commits":[]})"), HasSubstr("no commits"));
  EXPECT_THAT(models::report_tool_result("else", "broken", "Wind turns mills."), HasSubstr("Wind turns mills."));
  EXPECT_FALSE(models::report_tool_result("summarize_page", "[]", "[1,2]").empty());
}

TEST(Builtin, IsDeterministicAndBounded) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "Sentence number " + std::to_string(i % 977) + " speaks of boats. ";
  const auto request = conversation({user(text)});
  const auto started = std::chrono::steady_clock::now();
  const auto first = models::builtin_answer(request), second = models::builtin_answer(request);
  const auto took = std::chrono::steady_clock::now() - started;
  EXPECT_EQ(first.message.content, second.message.content);
  EXPECT_LT(first.message.content.size(), 4'000u);
  EXPECT_LT(took, std::chrono::seconds(5));
}

TEST(Builtin, KeepsToMaxTokens) {
  auto request = conversation({user("Who are you?")});
  request.max_tokens = 5;
  const auto answer = models::builtin_answer(request);
  EXPECT_EQ(answer.finish, models::Finish::length);
  EXPECT_LE(answer.message.content.size(), 20u);
}

TEST(Builtin, CountsNoMoreThanMaxTokens) {
  for (const auto* said : {"Who are you?", "list files", "read file a-rather-long-name-of-a-file.txt", "Hello"}) {
    for (const std::int64_t most : {1, 2, 5, 1000}) {
      auto request = conversation({user(said)});
      request.max_tokens = most;
      const auto answer = models::builtin_answer(request);
      EXPECT_LE(answer.usage.output, most) << said;
      EXPECT_EQ(answer.finish == models::Finish::tool_calls, !answer.message.tool_calls.empty()) << said;
    }
  }
}

constexpr const char* seven_sentences =
    "The lighthouse stands on the cape. The lighthouse was built of granite. Its keeper counts the ships. "
    "Gulls nest under the lamp. The lamp of the lighthouse burns oil. Oil comes by ship. The keeper sleeps by day.";

models::Message system_text(std::string text) { return {.role = models::Role::system, .content = std::move(text)}; }

TEST(Builtin, SummarizesTheTextThatFollows) {
  const auto answer =
      models::builtin_answer({.messages = {user(std::string("Please summarize this: ") + seven_sentences)}});
  EXPECT_THAT(answer.message.content, HasSubstr("sentences that carry most"));
  EXPECT_THAT(answer.message.content, HasSubstr("- The lighthouse"));
  EXPECT_THAT(answer.message.content, Not(HasSubstr("summarize this")));
}

TEST(Builtin, SummarizesTheTextAbove) {
  for (const auto* wish : {"Summarize the text above.", "summarise this", "Please sum up the text above"}) {
    const auto answer = models::builtin_answer(
        {.messages = {user(seven_sentences), {.role = models::Role::assistant, .content = "Read."}, user(wish)}});
    EXPECT_THAT(answer.message.content, HasSubstr("- The lighthouse")) << wish;
  }
}

TEST(Builtin, UsesADocumentInTheSystemMessage) {
  const auto asked =
      models::builtin_answer({.messages = {system_text(seven_sentences), user("What does the lamp burn?")}});
  EXPECT_THAT(asked.message.content, HasSubstr("The lamp of the lighthouse burns oil."));
  const auto summed = models::builtin_answer({.messages = {system_text(seven_sentences), user("Summarize the text.")}});
  EXPECT_THAT(summed.message.content, HasSubstr("- The lighthouse"));
  const auto agent =
      models::builtin_answer(conversation({system_text(seven_sentences), user("What does the lamp burn?")}));
  EXPECT_THAT(agent.message.content, HasSubstr("nothing about this")) << "an agent's instructions are no document";
}

TEST(Extract, RanksByWhatTheTextIsAbout) {
  const auto best = summarizer::best_sentences(
      "Bread needs flour, water and salt. I saw a dog. Flour and water make the dough of bread. Birds sing.", 2);
  EXPECT_THAT(best, ElementsAre("Bread needs flour, water and salt.", "Flour and water make the dough of bread."));
  EXPECT_THAT(summarizer::best_sentences("", 3), testing::IsEmpty());
  EXPECT_THAT(summarizer::best_sentences("Same words here. Same words here.", 3), ElementsAre("Same words here."));
}

TEST(Extract, CutsBetweenCharacters) {
  EXPECT_EQ(web::utf8_prefix("aß", 2), "a");
  EXPECT_EQ(web::utf8_prefix("aß", 3), "aß");
}

}  // namespace builtin_test
