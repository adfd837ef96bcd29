#include "appliance/models/builtin/builtin.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <limits>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/builtin/builtin_intent.h"
#include "appliance/models/builtin/builtin_report.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/wire_json.h"
#include "summarizer/sentences.h"
#include "web/blank.h"
#include "web/utf8.h"

namespace models {

namespace {

constexpr std::string_view introduction =
    "I am builtin, the text model inside agentbox: no language model is configured on this box, so I pick sentences "
    "from "
    "what I am given and make nothing up.";

constexpr std::string_view abilities =
    "I can summarize a page (\"summarize https://...\"), read, write and list files (\"read file notes.txt\", \"write "
    "hello to "
    "file notes.txt\", \"list files\"), remember facts (\"remember that ...\", \"what do you remember?\") and "
    "summarize a text you "
    "paste here. For open questions, configure a model: LOCAL_MODEL_URL or OPENROUTER_API_KEY.";

constexpr std::string_view blindness = "I read words alone: I have not seen the images of your message.";

// A message of at least this length is a text to summarize rather than a question.
constexpr std::size_t document_bytes = 600;

bool offers(const ChatRequest& request, std::string_view tool) {
  return std::any_of(request.tools.begin(), request.tools.end(),
                     [&](const auto& offered) { return offered.name == tool; });
}

bool is_introduced(const ChatRequest& request) {
  return std::any_of(request.messages.begin(), request.messages.end(), [](const Message& message) {
    return message.role == Role::assistant && message.content.find(introduction) != std::string::npos;
  });
}

std::string bullet_list(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text.append(text.empty() ? "" : "\n").append("- ").append(sentence);
  return text;
}

std::string report_tool_results(const ChatRequest& request) {
  const auto& messages = request.messages;
  auto first = messages.size();
  while (first > 0 && messages[first - 1].role == Role::tool) --first;
  std::string report;
  for (auto i = first; i < messages.size(); ++i) {
    const ToolCall* call = nullptr;
    if (first > 0) {
      for (const auto& made : messages[first - 1].tool_calls) {
        if (made.id == messages[i].tool_call_id) call = &made;
      }
    }
    if (!report.empty()) report += "\n\n";
    report += report_tool_result(call ? call->name : "", call ? call->arguments : "{}", messages[i].content);
  }
  return report;
}

// The text that a question can be answered from: earlier messages of the user, and documents in system messages. If
// there are tools, system messages are instructions to an agent.
std::string earlier_words(const ChatRequest& request) {
  std::string text;
  for (std::size_t i = 0; i + 1 < request.messages.size(); ++i) {
    const auto& message = request.messages[i];
    const bool is_document = message.role == Role::system && request.tools.empty();
    if (message.role == Role::user || is_document) text.append(message.content).append("\n");
  }
  return text;
}

std::string summary_of(std::string_view text) {
  const auto best = summarizer::best_sentences(text, 5);
  return best.empty() ? std::string() : "The sentences that carry most of your text:\n" + bullet_list(best);
}

// A message may hold the text that its question is about: its questions, and the other sentences.
struct Question {
  std::string question, beside;
};
Question question_in(std::string_view message) {
  Question parts;
  for (const auto& sentence : summarizer::score_sentences(message))
    (sentence.text.ends_with('?') ? parts.question : parts.beside).append(sentence.text).append("\n");
  if (parts.question.empty()) return {.question = std::string(message), .beside = {}};
  return parts;
}

std::string answer_text(const ChatRequest& request, std::string_view question) {
  if (asks_for_identity(question)) return std::string(introduction) + " " + std::string(abilities);
  const auto earlier = earlier_words(request);
  std::string summary;
  if (const auto query = summary_request_of(question))
    summary = summary_of(query->text.empty() ? std::string_view(earlier) : query->text);
  else if (question.size() >= document_bytes)
    summary = summary_of(question);
  if (!summary.empty()) return summary;
  const auto [asked, beside] = question_in(question);
  const auto known = earlier + beside;
  std::string relevant;
  for (const auto& sentence : summarizer::score_sentences(known, asked))
    if (sentence.relevant) relevant.append(sentence.text).append("\n");
  if (!relevant.empty())
    return "What you told me about this:\n" + bullet_list(summarizer::best_sentences(relevant, 3, asked));
  return "I found nothing about this in what I was given. " + std::string(abilities);
}

// Whether a tool_choice leaves the choice to the model.
bool may_choose(const boost::json::value& choice) { return choice == "auto" || choice == "none"; }

bool may_call(const ChatRequest& request) {
  const auto* choice = request.options.if_contains("tool_choice");
  return !choice || *choice != "none";
}

void end_at_stop(std::string& content, const std::vector<std::string>& stops) {
  for (const auto& stop : stops)
    if (const auto at = content.find(stop); !stop.empty() && at != content.npos) content.resize(at);
}

// Whether the last message of the user has images; results of tools may follow it.
bool asks_about_images(const ChatRequest& request) {
  const auto asked = std::ranges::find(request.messages.rbegin(), request.messages.rend(), Role::user, &Message::role);
  return asked != request.messages.rend() && has_images(*asked);
}

// Of the texts of a request, without what a vendor's template adds.
std::int64_t output_tokens(const Message& answer) {
  auto tokens = estimate_tokens(answer.content);
  for (const auto& call : answer.tool_calls) tokens += estimate_tokens(call.name) + estimate_tokens(call.arguments);
  return tokens;
}

}  // namespace

ChatAnswer builtin_answer(const ChatRequest& request, Introduction first) {
  ChatAnswer answer{.model = std::string(builtin_model), .provider = "builtin"};
  answer.message.role = Role::assistant;
  const auto most = request.max_tokens.value_or(std::numeric_limits<std::int64_t>::max());
  const auto& last = request.messages.back();
  if (last.role == Role::tool) {
    answer.message.content = report_tool_results(request);
  } else {
    if (const auto intent = intent_of(last.content); intent && may_call(request) && offers(request, intent->tool)) {
      answer.message.tool_calls.push_back({.id = "call_" + std::to_string(request.messages.size()),
                                           .name = intent->tool,
                                           .arguments = boost::json::serialize(intent->arguments)});
      answer.finish = Finish::tool_calls;
    }
    // A call is whole or left out.
    if (output_tokens(answer.message) > most) answer.message.tool_calls.clear();
    if (answer.message.tool_calls.empty()) answer.message.content = answer_text(request, last.content);
  }
  auto& content = answer.message.content;
  if (!content.empty() && asks_about_images(request)) content = std::string(blindness) + "\n\n" + content;
  if (first == Introduction::given && !content.empty() && !is_introduced(request) &&
      content.find(introduction) == content.npos) {
    content = std::string(introduction) + "\n\n" + content;
  }
  if (answer.message.tool_calls.empty()) answer.finish = Finish::stop;
  end_at_stop(content, request.stop);
  if (output_tokens(answer.message) > most) {
    content = web::utf8_prefix(content, static_cast<std::size_t>(most) * 4);
    answer.finish = Finish::length;
  }
  answer.usage = {.input = estimate_tokens(request), .output = output_tokens(answer.message), .estimated = true};
  return answer;
}

std::optional<std::string> Builtin::cannot(const ChatRequest& request) const {
  if (auto wrong = missing_option(
          request, {"presence_penalty", "frequency_penalty", "logit_bias", "reasoning_effort", "response_format"},
          builtin_model))
    return wrong;
  if (const auto* choice = request.options.if_contains("tool_choice"); choice && !may_choose(*choice))
    return "tool_choice must be auto or none for " + std::string(builtin_model);
  const auto& last = request.messages.back();
  if (!has_images(last) || !web::is_blank(last.content)) return std::nullopt;
  return "messages[" + std::to_string(request.messages.size() - 1) + "].content: " + std::string(builtin_model) +
         " reads no images, and there is no text beside them";
}

web::Task<Outcome<ChatAnswer>> Builtin::complete(ChatRequest request, Listener* listener) {
  auto answer = builtin_answer(request);
  answer.id = "chatcmpl-" + crypto::random_id(24);
  if (listener) openai::replay(answer, *listener);
  co_return answer;
}

web::Task<Outcome<std::vector<ModelInfo>>> Builtin::models() {
  std::vector<ModelInfo> listed{{.id = std::string(builtin_model), .provider = "builtin"}};
  co_return listed;
}

}  // namespace models
