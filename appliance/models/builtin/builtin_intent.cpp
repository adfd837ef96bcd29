#include "appliance/models/builtin/builtin_intent.h"

#include <cctype>
#include <initializer_list>

#include "web/ascii.h"

namespace models {

namespace {

// A message and a lower-case copy of the same length: matching ignores case, and the text keeps it.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(web::trim(text, web::white_space)), lower_(web::lower_case(text_)) {}

  // Skips the first of `words` that the rest starts with, as whole words, and the spaces, colons and commas after it.
  bool skip(std::initializer_list<std::string_view> words) {
    const auto rest = std::string_view(lower_).substr(at_);
    for (const auto word : words) {
      if (!rest.starts_with(word)) continue;
      if (rest.size() > word.size() && std::isalnum(static_cast<unsigned char>(rest[word.size()]))) continue;
      const auto next = lower_.find_first_not_of(" :,", at_ + word.size());
      at_ = next == lower_.npos ? lower_.size() : next;
      return true;
    }
    return false;
  }

  bool contains(std::string_view phrase) const { return lower_.find(phrase) != lower_.npos; }
  // The rest, as written.
  std::string_view rest() const { return web::trim(text_.substr(at_), web::white_space); }
  bool done() const { return rest().empty() || rest() == "?" || rest() == "."; }

 private:
  std::string_view text_;
  std::string lower_;
  std::size_t at_ = 0;  // into both
};

std::string_view without_quotes(std::string_view text) {
  text = web::trim(text, web::white_space);
  for (const char quote : {'"', '\'', '`'}) {
    if (text.size() >= 2 && text.front() == quote && text.back() == quote) return text.substr(1, text.size() - 2);
  }
  return text;
}

std::string_view without_final_stop(std::string_view text) {
  text = web::trim(text, web::white_space);
  while (!text.empty() && (text.back() == '.' || text.back() == '?' || text.back() == '!')) text.remove_suffix(1);
  return web::trim(text, web::white_space);
}

std::string path_in(std::string_view text) { return std::string(without_quotes(without_final_stop(text))); }

std::string_view url_in(std::string_view text) {
  const auto lower = web::lower_case(text);
  auto start = lower.find("https://");
  if (start == lower.npos) start = lower.find("http://");
  if (start == lower.npos) return {};
  auto url = text.substr(start, lower.find_first_of(" \t\r\n<>\"'`", start) - start);
  while (!url.empty() && std::string_view(".,;:!?)]").find(url.back()) != std::string_view::npos) url.remove_suffix(1);
  return url;
}

Intent intent(std::string tool, std::initializer_list<std::pair<std::string_view, std::string>> arguments = {}) {
  Intent made{.tool = std::move(tool), .arguments = {}};
  for (const auto& [name, value] : arguments) made.arguments[name] = value;
  return made;
}

std::optional<Intent> page_intent(const Reader& message) {
  const auto url = url_in(message.rest());
  if (url.empty()) return std::nullopt;
  return intent(message.contains("link") ? "extract_page" : "summarize_page", {{"url", std::string(url)}});
}

std::optional<Intent> read_intent(Reader message) {
  if (!message.skip({"read", "show", "open", "print", "cat"})) return std::nullopt;
  message.skip({"me"});
  const bool named = message.skip({"the file", "file", "my file"});
  if (message.done() || (!named && message.rest().find_first_of("./") == std::string_view::npos)) return std::nullopt;
  const auto path = path_in(message.rest());
  if (path.find(' ') != path.npos && !named) return std::nullopt;
  return intent("read_file", {{"path", path}});
}

std::optional<Intent> write_intent(Reader message) {
  if (!message.skip({"write", "save", "put"})) return std::nullopt;
  const auto whole = message.rest();
  const auto lower = web::lower_case(whole);
  for (const std::string_view separator :
       {" to the file ", " to file ", " into the file ", " into file ", " to a file called ", " into ", " to "}) {
    const auto at = lower.rfind(separator);
    if (at == lower.npos) continue;
    const auto path = path_in(whole.substr(at + separator.size()));
    const auto content = without_quotes(whole.substr(0, at));
    if (path.empty() || content.empty()) return std::nullopt;
    return intent("write_file", {{"path", path}, {"content", std::string(content)}});
  }
  return std::nullopt;
}

std::optional<Intent> list_intent(Reader message) {
  const bool asked = message.skip({"what files", "which files", "ls"});
  if (!asked) {
    if (!message.skip({"list", "show"})) return std::nullopt;
    message.skip({"me"});
    message.skip({"all the", "all my", "all", "the", "my", "your"});
    if (!message.skip({"files"})) return std::nullopt;
  }
  if (message.skip({"in the folder", "in folder", "in", "under"}) && !message.done()) {
    return intent("list_files", {{"path", path_in(message.rest())}});
  }
  return intent("list_files");
}

std::optional<Intent> memory_intent(Reader message) {
  if (message.skip({"what do you remember", "what do you know", "do you remember", "recall"})) {
    message.skip({"about", "of"});
    if (message.done()) return intent("recall");
    return intent("recall", {{"query", std::string(without_final_stop(message.rest()))}});
  }
  if (message.skip({"remember", "note", "keep in mind"})) {
    message.skip({"that"});
    if (message.done()) return std::nullopt;
    return intent("remember", {{"text", std::string(without_quotes(message.rest()))}});
  }
  if (message.skip({"forget"})) {
    message.skip({"that", "about"});
    if (message.done()) return std::nullopt;
    return intent("forget", {{"query", std::string(without_final_stop(message.rest()))}});
  }
  return std::nullopt;
}

std::optional<Intent> git_intent(Reader message) {
  if (message.skip({"git status", "what changed", "what has changed"})) return intent("git_status");
  if (message.skip({"git log", "show the history", "show me the history"})) return intent("git_log");
  if (message.skip({"git commit", "commit"})) {
    message.skip({"the changes", "everything", "my changes"});
    message.skip({"with message", "with the message", "-m", "as"});
    if (message.done()) return intent("git_commit", {{"message", "Changes"}});
    return intent("git_commit", {{"message", std::string(without_quotes(message.rest()))}});
  }
  return std::nullopt;
}

}  // namespace

std::optional<Intent> intent_of(std::string_view message) {
  Reader reader(message);
  reader.skip({"please", "can you please", "can you", "could you"});
  // A file's content may hold a URL, and a fact any text: requests that begin with the name of a tool come first.
  for (auto* parse : {write_intent, memory_intent, list_intent}) {
    if (auto found = parse(reader)) return found;
  }
  if (auto found = page_intent(reader)) return found;
  for (auto* parse : {read_intent, git_intent}) {
    if (auto found = parse(reader)) return found;
  }
  return std::nullopt;
}

std::optional<SummaryRequest> summary_request_of(std::string_view message) {
  // A text to summarize has at least a sentence; shorter words refer to an earlier text.
  constexpr std::size_t least_text = 80;
  Reader reader(message);
  reader.skip({"please", "can you please", "can you", "could you"});
  if (!reader.skip({"summarize", "summarise", "sum up", "give me a summary of", "tl;dr"})) return std::nullopt;
  reader.skip({"the following text", "the following", "this text", "this", "the text"});
  const auto rest = reader.rest();
  return SummaryRequest{.text = rest.size() >= least_text ? rest : std::string_view()};
}

bool asks_for_identity(std::string_view message) {
  const auto lower = web::lower_case(message);
  for (const auto* phrase : {"who are you", "what are you", "which model", "what model", "are you a model", "your name",
                             "what can you do", "help"}) {
    const auto at = lower.find(phrase);
    if (at != lower.npos && (std::string_view(phrase) != "help" || web::trim(lower, web::white_space) == "help"))
      return true;
  }
  return false;
}

}  // namespace models
