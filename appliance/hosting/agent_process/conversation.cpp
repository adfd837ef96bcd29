#include "appliance/hosting/agent_process/conversation.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "web/routes/reply.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t most_file_bytes = 16u << 20;
constexpr std::size_t message_overhead = 32;  // role and separators, as a model's template adds them
constexpr const char* interrupted_note = "(This turn was interrupted before it was answered.)";
constexpr const char* left_out_note = R"({"note":"left out: the turn has grown too long"})";

std::size_t size_of(const models::Message& message) {
  auto size = message_overhead + message.content.size();
  for (const auto& call : message.tool_calls) size += call.name.size() + call.arguments.size() + call.id.size();
  return size;
}

std::string to_line(const models::Message& message) {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  auto line = web::to_json(message).as_object();
  line["at"] = web::iso8601(now);
  if (message.tool_calls.empty()) line.erase("tool_calls");
  if (message.tool_call_id.empty()) line.erase("tool_call_id");
  return json::serialize(line) + "\n";
}

std::string string_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Nothing for a line that is not a message: one bad line must not cost the whole conversation.
std::optional<models::Message> parse_line(std::string_view line) {
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  models::Message message;
  if (!object || !boost::describe::enum_from_string(string_in(*object, "role").c_str(), message.role))
    return std::nullopt;
  message.content = string_in(*object, "content");
  message.tool_call_id = string_in(*object, "tool_call_id");
  if (const auto* calls = object->if_contains("tool_calls"); calls && calls->is_array()) {
    for (const auto& entry : calls->get_array()) {
      if (!entry.is_object()) continue;
      const auto& call = entry.get_object();
      const auto* malformed = call.if_contains("malformed");
      message.tool_calls.push_back({.id = string_in(call, "id"),
                                    .name = string_in(call, "name"),
                                    .arguments = string_in(call, "arguments"),
                                    .malformed = malformed && malformed->is_bool() && malformed->get_bool()});
    }
  }
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
  if (const auto size = std::filesystem::file_size(path_, error); !error && size > most_file_bytes) {
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
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (auto message = parse_line(line)) messages_.push_back(std::move(*message));
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
  const auto before = ::lseek(file_.get(), 0, SEEK_END);
  std::string_view rest = lines;
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
  messages_.insert(messages_.end(), messages.begin(), messages.end());
  forget_old_turns();
}

std::ptrdiff_t Conversation::newest_turns(std::size_t bytes) const {
  std::size_t size = 0;
  auto start = messages_.size();
  for (auto i = messages_.size(); i-- > 0;) {
    size += size_of(messages_[i]);
    if (messages_[i].role != models::Role::user) continue;
    if (size > bytes && start < messages_.size()) break;
    start = i;
  }
  return static_cast<std::ptrdiff_t>(start);
}

void Conversation::forget_old_turns() {
  messages_.erase(messages_.begin(), messages_.begin() + newest_turns(window_bytes_));
}

std::vector<models::Message> Conversation::window(std::size_t bytes) const {
  std::vector<models::Message> window(messages_.begin() + newest_turns(bytes), messages_.end());
  std::size_t size = 0;
  for (const auto& message : window) size += size_of(message);
  for (std::size_t i = 0; i + 1 < window.size() && size > bytes; ++i) {
    if (window[i].role != models::Role::tool || window[i].content.size() < std::strlen(left_out_note)) continue;
    size -= window[i].content.size() - std::strlen(left_out_note);
    window[i].content = left_out_note;
  }
  return window;
}

}  // namespace agent_process
