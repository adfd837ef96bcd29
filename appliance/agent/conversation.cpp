#include "appliance/agent/conversation.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "appliance/agent/token_scale.h"
#include "appliance/foundation/timestamp.h"
#include "store/clock.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_file_bytes = 16u << 20;
constexpr const char* interrupted_note = "(This turn was interrupted before it was answered.)";
constexpr std::string_view summary_role = "summary";
constexpr std::size_t max_result_end_bytes = 500;  // of each end of a tool result that is cut
constexpr auto stamp_after = std::chrono::minutes(10);
constexpr std::size_t max_match_bytes = 300;  // before and after a word that was found

// A tool result without its middle, if that is shorter.
std::string ends_of(const std::string& result) {
  const auto head = web::utf8_prefix(result, max_result_end_bytes);
  auto tail_begin = result.size() - std::min(result.size(), max_result_end_bytes);
  while (tail_begin < result.size() && (static_cast<unsigned char>(result[tail_begin]) & 0xC0) == 0x80) ++tail_begin;
  if (head.size() + 300 > tail_begin) return result;
  return json::serialize(
      json::object{{"note", "The middle of this result is left out: call the tool again if you need it"},
                   {"size", result.size()},
                   {"begin", head},
                   {"end", std::string_view(result).substr(tail_begin)}});
}

std::string summary_line(std::string_view summary, std::size_t kept) {
  return json::serialize(json::object{
             {"at", web::iso8601(store::now())}, {"role", summary_role}, {"content", summary}, {"kept", kept}}) +
         "\n";
}

struct SummaryLine {
  std::string summary;
  std::size_t kept = 0;
};

std::optional<SummaryLine> parse_summary(std::string_view line) {
  if (line.find(R"("role":"summary")") == line.npos) return std::nullopt;
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object || web::string_member(*object, "role") != summary_role) return std::nullopt;
  const auto* kept = object->if_contains("kept");
  const auto count = kept && kept->is_int64() ? kept->get_int64() : 0;
  return SummaryLine{.summary = web::string_member(*object, "content"),
                     .kept = std::size_t(std::max<std::int64_t>(count, 0))};
}

// The time of a line; the epoch if it has none.
store::Time time_in(std::string_view line) {
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto at = object ? agentbox::parse_timestamp(web::string_member(*object, "at")) : std::nullopt;
  return at.value_or(store::Time());
}

std::string stamp_of(store::Time at) {
  auto text = web::iso8601(at).substr(0, 16);
  text[10] = ' ';
  return "[" + text + " UTC] ";
}

// The part of the text around a position.
std::string around(std::string_view text, std::size_t at) {
  auto begin = at - std::min(at, max_match_bytes);
  while (begin < at && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  const auto part = web::utf8_prefix(text.substr(begin), at - begin + max_match_bytes);
  return (begin > 0 ? "..." : "") + std::string(part) + (begin + part.size() < text.size() ? "..." : "");
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : web::lower_case(text) + " ") {
    if (c != ' ' && c != '\t' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

std::optional<HistoryMatch> match_in(std::string_view line, const std::vector<std::string>& words) {
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  HistoryMatch match;
  if (!object || !boost::describe::enum_from_string(web::string_member(*object, "role").c_str(), match.role) ||
      (match.role != models::Role::user && match.role != models::Role::assistant))
    return std::nullopt;
  const auto content = web::string_member(*object, "content");
  const auto folded = web::lower_case(content);
  for (const auto& word : words)
    if (folded.find(word) == folded.npos) return std::nullopt;
  match.at = web::string_member(*object, "at");
  match.text = around(content, folded.find(words.front()));
  return match;
}

std::string to_line(const models::Message& message) {
  auto line = web::to_json(message).as_object();
  line["at"] = web::iso8601(store::now());
  if (message.tool_calls.empty()) line.erase("tool_calls");
  if (message.tool_call_id.empty()) line.erase("tool_call_id");
  if (message.reasoning.empty()) line.erase("reasoning");
  if (message.refusal.empty()) line.erase("refusal");
  if (message.annotations.empty()) line.erase("annotations");
  if (message.parts.empty()) line.erase("parts");
  return json::serialize(line) + "\n";
}

models::Reasoning parse_reasoning(const json::object& block) {
  const auto* is_summary = block.if_contains("is_summary");
  return {.provider = web::string_member(block, "provider"),
          .text = web::string_member(block, "text"),
          .signature = web::string_member(block, "signature"),
          .sealed = web::string_member(block, "sealed"),
          .id = web::string_member(block, "id"),
          .format = web::string_member(block, "format"),
          .is_summary = is_summary && is_summary->is_bool() && is_summary->get_bool()};
}

// Nothing for a line that is not a message: one bad line must not cost the whole conversation.
std::optional<models::Message> parse_line(std::string_view line) {
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  models::Message message;
  if (!object || !boost::describe::enum_from_string(web::string_member(*object, "role").c_str(), message.role))
    return std::nullopt;
  message.content = web::string_member(*object, "content");
  message.tool_call_id = web::string_member(*object, "tool_call_id");
  if (const auto* calls = object->if_contains("tool_calls"); calls && calls->is_array()) {
    for (const auto& entry : calls->get_array()) {
      if (!entry.is_object()) continue;
      const auto& call = entry.get_object();
      const auto* malformed = call.if_contains("malformed");
      message.tool_calls.push_back({.id = web::string_member(call, "id"),
                                    .name = web::string_member(call, "name"),
                                    .arguments = web::string_member(call, "arguments"),
                                    .malformed = malformed && malformed->is_bool() && malformed->get_bool(),
                                    .signature = web::string_member(call, "signature"),
                                    .signed_by = web::string_member(call, "signed_by")});
    }
  }
  if (const auto* parts = web::array_member(*object, "parts"))
    for (const auto& entry : *parts)
      if (const auto* part = entry.if_object())
        message.parts.push_back({.text = web::string_member(*part, "text"),
                                 .url = web::string_member(*part, "url"),
                                 .detail = web::string_member(*part, "detail")});
  message.refusal = web::string_member(*object, "refusal");
  if (const auto* annotations = web::array_member(*object, "annotations")) message.annotations = *annotations;
  if (const auto* blocks = web::array_member(*object, "reasoning"))
    for (const auto& entry : *blocks)
      if (const auto* block = entry.if_object()) message.reasoning.push_back(parse_reasoning(*block));
  return message;
}

// The last `most` bytes of an open file of `size` bytes.
std::string read_tail(int fd, off_t size, std::size_t most) {
  const auto wanted = std::min(static_cast<std::size_t>(size), most);
  std::string text(wanted, '\0');
  std::size_t have = 0;
  while (have < wanted) {
    const auto at = size - static_cast<off_t>(wanted - have);
    const auto got = ::pread(fd, text.data() + have, wanted - have, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace

Conversation::Conversation(std::filesystem::path file, std::size_t window_bytes)
    : path_(std::move(file)), window_bytes_(window_bytes) {
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path_, error); !error && size > max_file_bytes) {
    std::filesystem::rename(path_, path_.string() + ".old", error);
  }
  file_ = files::Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file_)
    throw std::runtime_error("the conversation " + path_.string() + " cannot be opened: " + std::strerror(errno));
  load();
  close_interrupted_turn();
}

void Conversation::load() {
  const auto size = ::lseek(file_.get(), 0, SEEK_END);
  // JSON's escapes make a line up to six times as long as its text.
  auto text = read_tail(file_.get(), size, 8 * window_bytes_);
  const bool starts_within_line = text.size() < static_cast<std::size_t>(size);
  const auto last = text.rfind('\n');
  const auto whole = last == text.npos ? 0 : last + 1;
  if (whole < text.size()) {
    if (::ftruncate(file_.get(), size - static_cast<off_t>(text.size() - whole)) != 0) {
      throw std::runtime_error("the torn end of " + path_.string() + " cannot be cut off: " + std::strerror(errno));
    }
    text.resize(whole);
  }
  std::string_view rest = text;
  if (starts_within_line) rest.remove_prefix(std::min(rest.size(), rest.find('\n') + 1));
  while (!rest.empty()) {
    const auto line = web::first_line(rest);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (auto compacted = parse_summary(line)) {
      if (compacted->kept < messages_.size())
        messages_.erase(messages_.begin(), messages_.end() - std::ptrdiff_t(compacted->kept));
      summary_ = std::move(compacted->summary);
    } else if (auto message = parse_line(line)) {
      messages_.push_back(stored(std::move(*message), time_in(line)));
    }
  }
  while (!messages_.empty() && messages_.front().role != models::Role::user) messages_.pop_front();
  forget_old_turns();
}

void Conversation::close_interrupted_turn() {
  if (messages_.empty()) return;
  // Calls whose results were not all written would be refused by strict servers.
  auto calls = messages_.size();
  while (calls > 0 && messages_[calls - 1].role == models::Role::tool) --calls;
  const auto results = messages_.size() - calls;
  if (calls > 0 && messages_[calls - 1].tool_calls.size() > results) messages_.resize(calls - 1);
  const bool answered = !messages_.empty() && messages_.back().role == models::Role::assistant;
  if (!answered) append({models::Message{.role = models::Role::assistant, .content = interrupted_note}});
}

void Conversation::append(const std::vector<models::Message>& messages) {
  std::string lines;
  for (const auto& message : messages) lines += to_line(message);
  write(lines);
  for (const auto& message : messages) messages_.push_back(stored(message, store::now()));
  forget_old_turns();
}

std::int64_t Conversation::position() const { return ::lseek(file_.get(), 0, SEEK_END); }

void Conversation::cut(std::int64_t position) {
  if (position > this->position()) throw std::runtime_error("the conversation has begun a new file since");
  if (::ftruncate(file_.get(), position) != 0 || ::fdatasync(file_.get()) != 0)
    throw std::runtime_error("the conversation cannot be cut: " + std::string(std::strerror(errno)));
  messages_.clear();
  summary_.clear();
  load();
}

void Conversation::copy_to(const std::filesystem::path& file, std::int64_t position) const {
  const auto fail = [&] {
    throw std::runtime_error("the conversation cannot be copied: " + std::string(std::strerror(errno)));
  };
  const files::Descriptor from(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  const files::Descriptor to(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!from || !to) fail();
  std::string buffer(64u * 1024, '\0');
  while (position > 0) {
    const auto read = ::read(from.get(), buffer.data(), std::min(buffer.size(), std::size_t(position)));
    if (read <= 0 || !files::write_all(to, std::string_view(buffer).substr(0, std::size_t(read)))) fail();
    position -= read;
  }
  if (::fdatasync(to.get()) != 0) fail();
}

void Conversation::write(std::string_view rest) {
  const auto before = ::lseek(file_.get(), 0, SEEK_END);
  while (!rest.empty()) {
    const auto written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!rest.empty() || ::fdatasync(file_.get()) != 0) {
    const std::string reason = std::strerror(errno);
    if (::ftruncate(file_.get(), before) != 0) throw std::runtime_error("the conversation is damaged: " + reason);
    throw std::runtime_error("the conversation cannot be written: " + reason);
  }
}

Conversation::Stored Conversation::stored(models::Message message, store::Time at) {
  const auto tokens = context_tokens(message);
  return {std::move(message), at, tokens};
}

std::int64_t Conversation::tokens() const {
  auto tokens = context_tokens(models::Message{.role = models::Role::system, .content = summary_});
  for (const auto& message : messages_) tokens += message.tokens;
  return tokens;
}

std::vector<models::Message> Conversation::before_newest(std::int64_t tokens) const {
  return {messages_.begin(), messages_.begin() + newest_turns(tokens)};
}

void Conversation::compact(std::size_t count, std::string summary) {
  count = std::min(count, messages_.size());
  write(summary_line(summary, messages_.size() - count));
  messages_.erase(messages_.begin(), messages_.begin() + std::ptrdiff_t(count));
  summary_ = std::move(summary);
}

std::vector<HistoryMatch> search_history(const std::filesystem::path& file, std::string_view text, std::size_t limit) {
  const auto words = words_in(text);
  std::deque<HistoryMatch> found;
  if (words.empty() || limit == 0) return {};
  for (const auto& path : {file.string() + ".old", file.string()}) {
    std::ifstream stream(path, std::ios::binary);
    for (std::string line; std::getline(stream, line);) {
      auto match = match_in(line, words);
      if (!match) continue;
      found.push_front(std::move(*match));
      if (found.size() > limit) found.pop_back();
    }
  }
  return {std::make_move_iterator(found.begin()), std::make_move_iterator(found.end())};
}

std::ptrdiff_t Conversation::newest_turns(std::int64_t tokens) const {
  std::int64_t sum = 0;
  auto start = messages_.size();
  for (auto i = messages_.size(); i-- > 0;) {
    sum += messages_[i].tokens;
    if (messages_[i].role != models::Role::user) continue;
    if (sum > tokens && start < messages_.size()) break;
    start = i;
  }
  return static_cast<std::ptrdiff_t>(start);
}

void Conversation::forget_old_turns() {
  messages_.erase(messages_.begin(), messages_.begin() + newest_turns(std::int64_t(window_bytes_) / bytes_a_token));
}

std::vector<models::Message> Conversation::window(std::int64_t tokens) const {
  const auto first = std::size_t(newest_turns(tokens));
  std::vector<models::Message> window(messages_.begin() + std::ptrdiff_t(first), messages_.end());
  const auto last_user = std::ranges::find(messages_.rbegin(), messages_.rend(), models::Role::user, &Stored::role);
  const auto newest = std::size_t(messages_.rend() - last_user) - 1;
  for (auto i = first; i < messages_.size() && i < newest; ++i) {
    const auto& message = messages_[i];
    if (message.role != models::Role::user || message.at == store::Time()) continue;
    // The prompt has the time of the newest message.
    const auto since = i > 0 ? messages_[i - 1].at : store::Time();
    if (message.at - since >= stamp_after && store::now() - message.at >= stamp_after)
      window[i - first].content.insert(0, stamp_of(message.at));
  }
  std::int64_t sum = 0;
  for (auto i = first; i < messages_.size(); ++i) sum += messages_[i].tokens;
  for (std::size_t i = 0; i + 1 < window.size() && sum > tokens; ++i) {
    if (window[i].role != models::Role::tool) continue;
    window[i].content = ends_of(window[i].content);
    sum -= messages_[first + i].tokens - context_tokens(window[i]);
  }
  return window;
}

}  // namespace agent_process
