#include "appliance/hosting/commands/command_text.h"

#include "appliance/runtime/proxy_variables.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace commands {

namespace {

// The first process of the namespace: it reaps, passes on a request to end, and says how the command ended. With it
// ends everything. A request ends `wait` early, when the command may have ended, too: the second time says how. 127: it
// was said before.
constexpr auto wait = R"(child=$! code=127
while again=; wait "$child" 2>/dev/null; now=$?; [ "$now" = 127 ] || code=$now; [ "$again" ]; do :; done
exit "$code"
)";

constexpr auto proxy_url = "http://127.0.0.1:3128", bundle = "/tmp/.box/authorities.crt", own = "/tmp/.box/box.crt";

void set(std::string& text, std::string_view name, std::string_view value) {
  text.append("export ").append(name).append("=").append(shell_word(value)).append("\n");
}

// The variables from which programs read a proxy and its authority.
void set_proxy(std::string& text, const std::string& authority) {
  text.append("mkdir -p /tmp/.box\nprintf %s ").append(shell_word(authority)).append(" >").append(own).append("\n");
  text.append("cat /etc/ssl/certs/ca-certificates.crt ").append(own).append(" >").append(bundle);
  text.append(" 2>/dev/null\n");
  const runtime::ProxyForPrograms proxy{
      .url = proxy_url, .except = "127.0.0.1,localhost", .authority = own, .authorities = bundle};
  for (const auto& [name, value] : runtime::proxy_variables(proxy)) set(text, name, value);
}

}  // namespace

std::string Order::title() const {
  constexpr std::size_t max_bytes = 200;
  const auto whole = arguments.empty() ? shell : web::join(arguments, " ");
  const auto text = web::trim(whole, web::white_space);
  const auto shown = web::utf8_prefix(web::first_line(text), max_bytes);
  return std::string(shown) + (shown.size() < text.size() ? " …" : "");
}

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char c : word) c == '\'' ? text.append("'\\''") : text.append(1, c);
  return text.append("'");
}

namespace {

// The shell is the first process of the namespace itself, and so the leader of the terminal's session.
constexpr auto typed_into = R"(export TERM=xterm-256color COLORTERM=truecolor
if [ -x /bin/bash ]; then PS1='\w\$ ' exec /bin/bash -i 3<&-; fi
exec /bin/sh -i 3<&-
)";

}  // namespace

std::string text_of(const Order& order, const std::string& authority) {
  // Shells give /dev/null to what runs in the background, so that its input is kept apart. What the shell does has been
  // the descriptor 3 so far, which it has a copy of.
  std::string text = order.terminal ? "" : "exec 3<&0 </dev/null\n";
  if (!authority.empty()) set_proxy(text, authority);
  for (const auto& [name, value] : order.environment) set(text, name, value);
  if (!order.folder.empty()) text.append("cd -- ").append(shell_word(order.folder)).append(" || exit 126\n");
  if (order.terminal) return text.append(typed_into);
  text.append("trap 'again=1; kill -TERM -1' TERM\n");
  if (order.arguments.empty()) {
    const auto shell = shell_word(order.shell);
    text.append("if [ -x /bin/bash ]; then set -- /bin/bash -c ").append(shell);
    text.append("; else set -- /bin/sh -c ").append(shell).append("; fi\n");
  } else {
    text.append("set --");
    for (const auto& word : order.arguments) text.append(" ").append(shell_word(word));
    text.append("\n");
  }
  return text.append("\"$@\" <&3 3<&- &\nexec 3<&-\n").append(wait);
}

std::string take_utf8(std::string& bytes, bool is_last) {
  std::string text;
  std::string_view left = bytes;
  while (!left.empty()) {
    const auto point = web::decode_utf8(left);
    if (point.length > 0) {
      text.append(left.substr(0, point.length));
      left.remove_prefix(point.length);
      continue;
    }
    constexpr std::size_t longest = 4;
    const bool may_be_incomplete = left.size() < longest && static_cast<unsigned char>(left.front()) >= 0xC2;
    if (!is_last && may_be_incomplete) break;
    text.append("\uFFFD");
    left.remove_prefix(1);
  }
  bytes.erase(0, bytes.size() - left.size());
  return text;
}

}  // namespace commands
