#include "appliance/hosting/web_browser/session.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <iterator>

#include "appliance/hosting/gate/messages.h"
#include "appliance/hosting/web_browser/devtools.h"
#include "web/json.h"
#include "web/utf8.h"

namespace browser {

namespace {

namespace json = boost::json;
using web::Result;
using web::Task;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds start_time{110'000}, load_time{20'000}, act_time{8'000}, look_interval{50}, calm{200},
    picture_interval{150}, first_byte_time{15'000}, download_time{90'000};
constexpr std::size_t max_notes = 10, max_note_bytes = 300, max_address_bytes = 2'000, max_screenshot_bytes = 700'000;
constexpr std::int64_t max_elements = 12'000;
constexpr auto own_world = "agentbox";

std::string shortened(std::string_view text, std::size_t bytes) {
  return gate::in_one_line(web::utf8_prefix(text, bytes));
}

double number_in(const json::value& value) { return value.is_number() ? value.to_number<double>() : 0; }

// The middle of the first quadrilateral.
std::optional<std::pair<double, double>> middle_of(const json::object& answer) {
  const auto* quads = web::array_member(answer, "quads");
  if (!quads || quads->empty() || !quads->front().is_array()) return std::nullopt;
  const auto& corners = quads->front().get_array();
  if (corners.size() != 8) return std::nullopt;
  double x = 0, y = 0;
  for (std::size_t i = 0; i < corners.size(); i += 2) {
    x += number_in(corners[i]) / 4;
    y += number_in(corners[i + 1]) / 4;
  }
  return std::pair(x, y);
}

json::object mouse(const char* type, double x, double y) {
  return {{"type", type}, {"x", x}, {"y", y}, {"button", "left"}, {"clickCount", 1}};
}

struct KeyCode {
  std::string_view key;
  int code;
  std::string_view text;
};
constexpr KeyCode key_codes[] = {
    {"Enter", 13, "\r"},   {"Tab", 9, ""},      {"Backspace", 8, ""},   {"Escape", 27, ""},    {"Delete", 46, ""},
    {"ArrowLeft", 37, ""}, {"ArrowUp", 38, ""}, {"ArrowRight", 39, ""}, {"ArrowDown", 40, ""}, {"Home", 36, ""},
    {"End", 35, ""},       {"PageUp", 33, ""},  {"PageDown", 34, ""}};

constexpr auto choose_option = R"(function(wanted) {
  if (this.tagName !== "SELECT") return "other";
  for (const option of this.options)
    if (option.label === wanted || option.text.trim() === wanted || option.value === wanted) {
      this.value = option.value;
      this.dispatchEvent(new Event("input", {bubbles: true}));
      this.dispatchEvent(new Event("change", {bubbles: true}));
      return "chosen";
    }
  return "none";
})";

// Not as members of `document`, which the names of elements hide. The browser reports titles with a delay.
constexpr auto count_and_title = R"((() => {
  const { getElementsByTagName } = Document.prototype;
  const title = Object.getOwnPropertyDescriptor(Document.prototype, "title").get;
  return [getElementsByTagName.call(document, "*").length, title.call(document)];
})())";

constexpr auto select_content = R"(function() {
  if (typeof this.select === "function") return this.select();
  getSelection().selectAllChildren(this);
})";

}  // namespace

Session::Session(boost::asio::io_context& home, files::Descriptor input, files::Descriptor output,
                 boost::asio::thread_pool& blocking, std::function<void()> changed)
    : home_(home), changed_(std::move(changed)) {
  devtools_ = std::make_shared<DevTools>(home, std::move(input), std::move(output), blocking,
                                         [this](const std::string& method, const std::string& session,
                                                json::object params) { on_event(method, session, std::move(params)); });
}

Task<> Session::run() { return devtools_->run(); }
void Session::close() { devtools_->close(); }
const std::string& Session::problem() const { return devtools_->problem(); }

Task<Result<void>> Session::begin() {
  const auto self = shared_from_this();
  json::object nothing;
  const auto version = co_await devtools_->call(std::string(), "Browser.getVersion", std::move(nothing), start_time);
  if (!version) co_return version.error();
  devtools_->send({}, "Target.setDiscoverTargets", {{"discover", true}});
  devtools_->send({}, "Target.setAutoAttach",
                  {{"autoAttach", true}, {"waitForDebuggerOnStart", false}, {"flatten", true}});
  let_download(false);
  const auto end = Clock::now() + start_time;
  while (tabs_.empty() && Clock::now() < end) co_await web::sleep_for(look_interval);
  co_return co_await require_tab();
}

void Session::let_download(bool is_let) {
  json::object params{{"behavior", is_let ? "allowAndName" : "deny"}, {"eventsEnabled", is_let}};
  if (is_let) params["downloadPath"] = std::string("/workspace/") + downloads_folder;
  devtools_->send({}, "Browser.setDownloadBehavior", std::move(params));
}

Task<Result<void>> Session::require_tab() {
  if (!tabs_.empty()) co_return Result<void>();
  json::object params{{"url", "about:blank"}};
  const auto made = co_await devtools_->call(std::string(), "Target.createTarget", std::move(params));
  if (!made) co_return made.error();
  for (const auto end = Clock::now() + act_time; tabs_.empty() && Clock::now() < end;)
    co_await web::sleep_for(look_interval);
  if (tabs_.empty()) co_return web::unavailable("The browser opened no page.");
  co_return Result<void>();
}

Task<Result<json::object>> Session::ask(std::string method, json::object params) {
  if (tabs_.empty()) co_return web::unavailable("The page was closed: open it again.");
  auto session = tabs_.back().session;
  co_return co_await devtools_->call(std::move(session), std::move(method), std::move(params));
}

std::string Session::url() const { return tabs_.empty() ? std::string() : tabs_.back().url; }
std::string Session::title() const { return tabs_.empty() ? std::string() : tabs_.back().title; }

Session::Tab* Session::tab_of(const std::string& session) {
  const auto found = std::ranges::find(tabs_, session, &Tab::session);
  return found == tabs_.end() ? nullptr : &*found;
}

void Session::add_tab(const json::object& params) {
  const auto* info = web::object_member(params, "targetInfo");
  if (!info || web::string_member(*info, "type") != "page") return;
  Tab tab{.target = web::string_member(*info, "targetId"),
          .session = web::string_member(params, "sessionId"),
          .url = shortened(web::string_member(*info, "url"), max_address_bytes),
          .title = {}};
  for (const char* method : {"Page.enable", "Accessibility.enable"}) devtools_->send(tab.session, method, {});
  devtools_->send(tab.session, "Emulation.setFocusEmulationEnabled", {{"enabled", true}});
  if (!tabs_.empty() && notes_.size() < max_notes)
    notes_.emplace_back("The page opened another one, which is shown now.");
  if (takes_pictures_ && !tabs_.empty()) devtools_->send(tabs_.back().session, "Page.stopScreencast", {});
  tabs_.push_back(std::move(tab));
  if (tabs_.size() > max_pages) devtools_->send({}, "Target.closeTarget", {{"targetId", tabs_.front().target}});
  if (takes_pictures_) start_pictures();
}

void Session::remove_tab(const std::string& session) {
  std::erase_if(tabs_, [&](const Tab& tab) { return tab.session == session; });
  if (takes_pictures_ && !tabs_.empty()) start_pictures();
  changed_();
}

void Session::on_event(const std::string& method, const std::string& session, json::object params) {
  if (method == "Target.attachedToTarget") return add_tab(params);
  if (method == "Target.detachedFromTarget") return remove_tab(web::string_member(params, "sessionId"));
  if (method.starts_with("Browser.download")) return on_download(method, params);
  if (method == "Target.targetCrashed") {
    if (notes_.size() < max_notes) notes_.emplace_back("The page crashed.");
    devtools_->send({}, "Target.closeTarget", {{"targetId", web::string_member(params, "targetId")}});
    return;
  }
  if (method == "Target.targetInfoChanged") {
    const auto* info = web::object_member(params, "targetInfo");
    if (!info) return;
    const auto target = web::string_member(*info, "targetId");
    for (auto& tab : tabs_)
      if (tab.target == target) {
        tab.url = shortened(web::string_member(*info, "url"), max_address_bytes);
        tab.title = shortened(web::string_member(*info, "title"), max_note_bytes);
        changed_();
      }
    return;
  }
  if (auto* tab = tab_of(session)) on_page_event(*tab, method, params);
}

void Session::on_page_event(Tab& tab, const std::string& method, const json::object& params) {
  const bool is_of_page = web::string_member(params, "frameId") == tab.target;
  if (method == "Page.frameStartedLoading" && is_of_page) tab.is_loading = true;
  if (method == "Page.frameStoppedLoading" && is_of_page) tab.is_loading = false;
  if (method == "Page.frameNavigated") {  // references are of the page before
    const auto* frame = web::object_member(params, "frame");
    if (frame && web::string_member(*frame, "id") == tab.target) text_ = {};
  }
  if (method == "Page.javascriptDialogOpening") {
    const bool leaves = web::string_member(params, "type") == "beforeunload";
    devtools_->send(tab.session, "Page.handleJavaScriptDialog", {{"accept", leaves}});
    if (!leaves && notes_.size() < max_notes)
      notes_.push_back("The page showed a dialog, which was dismissed: " +
                       shortened(web::string_member(params, "message"), max_note_bytes));
  }
  if (method == "Page.screencastFrame") {
    const auto* about = web::object_member(params, "metadata");
    picture_.jpeg = web::string_member(params, "data");
    if (about && about->contains("deviceWidth") && about->contains("deviceHeight")) {
      picture_.width = std::int64_t(number_in(about->at("deviceWidth")));
      picture_.height = std::int64_t(number_in(about->at("deviceHeight")));
    }
    changed_();
    // The next one comes after the acknowledgement, so that a film costs little.
    const auto* number = params.if_contains("sessionId");
    const auto acknowledge = [](std::shared_ptr<Session> self, std::string session, json::value frame) -> Task<> {
      co_await web::sleep_for(picture_interval);
      self->devtools_->send(session, "Page.screencastFrameAck", {{"sessionId", std::move(frame)}});
    };
    auto frame = number ? *number : json::value();
    boost::asio::co_spawn(home_, acknowledge(shared_from_this(), tab.session, std::move(frame)), boost::asio::detached);
  }
}

void Session::on_download(const std::string& method, const json::object& params) {
  const auto file = web::string_member(params, "guid");
  if (!arriving_) return;
  if (method == "Browser.downloadWillBegin" && arriving_->file.empty()) {
    *arriving_ = {.file = file,
                  .name = web::string_member(params, "suggestedFilename"),
                  .url = web::string_member(params, "url"),
                  .state = "inProgress"};
  } else if (method == "Browser.downloadProgress" && arriving_->file == file) {
    const auto* bytes = params.if_contains("receivedBytes");
    arriving_->bytes = bytes ? std::int64_t(number_in(*bytes)) : 0;
    arriving_->state = web::string_member(params, "state");
  } else if (method == "Browser.downloadWillBegin") {
    devtools_->send({}, "Browser.cancelDownload", {{"guid", file}});
  }
}

// Until the page has loaded.
Task<> Session::settle(milliseconds longest) {
  const auto end = Clock::now() + longest;
  co_await web::sleep_for(calm);
  while (!tabs_.empty() && tabs_.back().is_loading && Clock::now() < end) co_await web::sleep_for(look_interval);
  co_await web::sleep_for(calm);
}

// In a world of our own: the page's scripts do not see it, and have not changed what it uses.
Task<Result<json::value>> Session::evaluate(std::string expression) {
  json::object where{{"frameId", tabs_.empty() ? std::string() : tabs_.back().target}, {"worldName", own_world}};
  const auto world = co_await ask("Page.createIsolatedWorld", std::move(where));
  if (!world) co_return world.error();
  json::object params{{"expression", std::move(expression)}, {"returnByValue", true}, {"timeout", 5'000}};
  if (const auto* id = world->if_contains("executionContextId")) params["contextId"] = *id;
  const auto answer = co_await ask("Runtime.evaluate", std::move(params));
  if (!answer) co_return answer.error();
  const auto* result = web::object_member(*answer, "result");
  const auto* value = result ? result->if_contains("value") : nullptr;
  if (!value) co_return json::value();
  co_return *value;
}

// Again if the page goes on to another meanwhile, which the browser refuses to read in the old one's world.
Task<Result<Page>> Session::read() {
  const auto self = shared_from_this();
  for (const auto end = Clock::now() + load_time;;) {
    auto page = co_await read_once();
    if (page || page.error().kind != web::Kind::bad_gateway || Clock::now() > end) co_return page;
    co_await web::sleep_for(look_interval);
  }
}

Task<Result<Page>> Session::read_once() {
  text_ = {};
  const auto facts = co_await evaluate(count_and_title);
  if (!facts) co_return facts.error();
  const auto* list = facts->if_array();
  const bool is_known = list && list->size() == 2;
  if (is_known && !tabs_.empty()) tabs_.back().title = shortened(web::string_or_empty(&list->at(1)), max_note_bytes);
  Page page{.url = url(), .title = title(), .text = {}, .notes = {}};
  if (is_known && number_in(list->at(0)) > double(max_elements)) {
    const auto words =
        co_await evaluate("document.body.innerText.slice(0, " + std::to_string(max_page_text_bytes) + ")");
    if (!words) co_return words.error();
    page.notes.emplace_back("The page has too many parts for references: this is the beginning of its text.");
    page.text = std::string(web::utf8_prefix(web::string_or_empty(&*words), max_page_text_bytes));
    std::ranges::move(std::exchange(notes_, {}), std::back_inserter(page.notes));
    co_return page;
  }
  json::object nothing;
  auto tree = co_await ask("Accessibility.getFullAXTree", std::move(nothing));
  if (!tree) co_return tree.error();
  if (const auto* nodes = web::array_member(*tree, "nodes")) text_ = text_of_page(*nodes, max_page_text_bytes);
  page.text = text_.text;
  page.notes = std::exchange(notes_, {});
  co_return page;
}

Task<Result<Page>> Session::open(std::string address) {
  const auto self = shared_from_this();
  if (const auto there = co_await require_tab(); !there) co_return there.error();
  json::object params{{"url", address}};
  const auto gone = co_await ask("Page.navigate", std::move(params));
  if (!gone) co_return gone.error();
  if (const auto failure = web::string_member(*gone, "errorText"); !failure.empty())
    co_return web::bad_gateway("The page could not be opened: " + shortened(failure, max_note_bytes) +
                               (failure.find("TUNNEL") != failure.npos ? " (the box's proxy refused the host)." : "."));
  co_await settle(load_time);
  co_return co_await read();
}

Task<Result<void>> Session::press(Element element) {
  json::object params{{"backendNodeId", element.node}};
  auto same = params;
  const auto scrolled = co_await ask("DOM.scrollIntoViewIfNeeded", std::move(params));
  const auto quads = co_await ask("DOM.getContentQuads", std::move(same));
  const auto middle = quads ? middle_of(*quads) : std::nullopt;
  if (!scrolled || !middle)
    co_return web::conflict(element.ref + " is no longer visible on the page: read the page again.");
  for (const char* type : {"mouseMoved", "mousePressed", "mouseReleased"}) {
    auto event = mouse(type, middle->first, middle->second);
    if (const auto done = co_await ask("Input.dispatchMouseEvent", std::move(event)); !done) co_return done.error();
  }
  co_return Result<void>();
}

Task<Result<Page>> Session::click(Element element) {
  const auto self = shared_from_this();
  if (const auto pressed = co_await press(std::move(element)); !pressed) co_return pressed.error();
  co_await settle(act_time);
  co_return co_await read();
}

Task<Result<void>> Session::enter(Entry entry) {
  const auto& element = entry.element;
  json::object params{{"backendNodeId", element.node}};
  auto same = params;
  const auto resolved = co_await ask("DOM.resolveNode", std::move(params));
  const auto* object = resolved ? web::object_member(*resolved, "object") : nullptr;
  if (!object) co_return web::conflict(element.ref + " is no longer on the page: read the page again.");
  const auto id = web::string_member(*object, "objectId");
  json::object argument{{"value", entry.text}};
  json::object choose{{"objectId", id},
                      {"functionDeclaration", choose_option},
                      {"arguments", json::array{std::move(argument)}},
                      {"returnByValue", true}};
  const auto chosen = co_await ask("Runtime.callFunctionOn", std::move(choose));
  if (!chosen) co_return chosen.error();
  const auto* result = web::object_member(*chosen, "result");
  const auto outcome = result ? web::string_member(*result, "value") : std::string();
  if (outcome == "chosen") co_return Result<void>();
  if (outcome == "none") co_return web::invalid(element.ref + " has no option with this text.");
  if (const auto focused = co_await ask("DOM.focus", std::move(same)); !focused)
    co_return web::invalid(element.ref + " takes no text.");
  json::object select{{"objectId", id}, {"functionDeclaration", select_content}};
  if (const auto selected = co_await ask("Runtime.callFunctionOn", std::move(select)); !selected)
    co_return selected.error();
  json::object text{{"text", entry.text}};
  if (const auto inserted = co_await ask("Input.insertText", std::move(text)); !inserted) co_return inserted.error();
  co_return Result<void>();
}

Task<Result<Page>> Session::type(std::vector<Entry> entries, bool submits) {
  const auto self = shared_from_this();
  for (auto& entry : entries)
    if (const auto entered = co_await enter(std::move(entry)); !entered) co_return entered.error();
  if (submits) use({.kind = "key", .key = "Enter", .text = {}});
  co_await settle(act_time);
  co_return co_await read();
}

Task<Result<std::string>> Session::screenshot() {
  const auto self = shared_from_this();
  std::string picture;
  for (const int quality : {70, 30}) {
    json::object params{{"format", "jpeg"}, {"quality", quality}};
    const auto taken = co_await ask("Page.captureScreenshot", std::move(params));
    if (!taken) co_return taken.error();
    picture = web::string_member(*taken, "data");
    if (picture.size() <= max_screenshot_bytes) break;
  }
  co_return picture;
}

Task<Result<Download>> Session::download(std::optional<Element> element, std::string address) {
  const auto self = shared_from_this();
  if (const auto there = co_await require_tab(); !there) co_return there.error();
  let_download(true);
  arriving_ = Arrival();
  std::optional<web::Error> failure;
  if (element) {
    if (const auto pressed = co_await press(std::move(*element)); !pressed) failure = pressed.error();
  } else {
    json::object params{{"url", std::move(address)}};  // its error is that no page came
    if (const auto gone = co_await ask("Page.navigate", std::move(params)); !gone) failure = gone.error();
  }
  Result<Download> done = web::unavailable("The download did not begin.");
  if (failure)
    done = *failure;
  else
    done = co_await arrival();
  if (!done && !arriving_->file.empty()) devtools_->send({}, "Browser.cancelDownload", {{"guid", arriving_->file}});
  arriving_.reset();
  let_download(false);
  co_return done;
}

Task<Result<Download>> Session::arrival() {
  const auto began = Clock::now();
  for (;;) {
    co_await web::sleep_for(look_interval);
    const auto& now = *arriving_;
    if (now.file.empty() && Clock::now() - began > first_byte_time)
      co_return web::invalid("That started no download. Read the page to see what it did.");
    if (Clock::now() - began > download_time) co_return web::invalid("The download took too long.");
    if (now.bytes > max_download_bytes)
      co_return web::invalid("The file has more than " + std::to_string(max_download_bytes >> 20) + " MB.");
    if (now.state == "canceled") co_return web::bad_gateway("The download was cut off.");
    if (now.state == "completed") co_return Download{.file = now.file, .name = now.name, .url = now.url};
  }
}

void Session::use(const Input& input) {
  if (tabs_.empty()) return;
  const auto& session = tabs_.back().session;
  if (input.kind == "text") return devtools_->send(session, "Input.insertText", {{"text", input.text}});
  if (input.kind == "key") {
    const auto* known = std::ranges::find(key_codes, input.key, &KeyCode::key);
    if (known == std::end(key_codes)) return;
    json::object down{{"type", known->text.empty() ? "rawKeyDown" : "keyDown"},
                      {"key", input.key},
                      {"code", input.key},
                      {"windowsVirtualKeyCode", known->code}};
    if (!known->text.empty()) down["text"] = std::string(known->text);
    auto up = down;
    up["type"] = "keyUp";
    up.erase("text");
    devtools_->send(session, "Input.dispatchKeyEvent", std::move(down));
    return devtools_->send(session, "Input.dispatchKeyEvent", std::move(up));
  }
  if (input.kind == "wheel")
    return devtools_->send(
        session, "Input.dispatchMouseEvent",
        {{"type", "mouseWheel"}, {"x", input.x}, {"y", input.y}, {"deltaX", 0}, {"deltaY", input.down}});
  const char* type = input.kind == "pressed"    ? "mousePressed"
                     : input.kind == "released" ? "mouseReleased"
                                                : "mouseMoved";
  auto event = mouse(type, input.x, input.y);
  if (input.kind == "moved") event["button"] = "none";
  devtools_->send(session, "Input.dispatchMouseEvent", std::move(event));
}

void Session::start_pictures() {
  takes_pictures_ = true;
  if (tabs_.empty()) return;
  devtools_->send(tabs_.back().session, "Page.startScreencast",
                  {{"format", "jpeg"}, {"quality", 60}, {"maxWidth", 1'280}, {"maxHeight", 800}, {"everyNthFrame", 1}});
}

void Session::stop_pictures() {
  takes_pictures_ = false;
  picture_ = {};
  if (!tabs_.empty()) devtools_->send(tabs_.back().session, "Page.stopScreencast", {});
}

}  // namespace browser
