// What the box needs of a messaging provider. Everything that providers have in common is written once: intake.h for
// what people write, outbox.h for what they are sent, connections.h for staying connected.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "appliance/hosting/channels/markup.h"
#include "appliance/hosting/channels/records.h"
#include "web/client/fetch.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace channels {

// A message from a person, or a press of a button (then `button` is its data and `text` is empty).
struct Received {
  std::string event;                               // the provider's id of it, unique in the channel
  std::string sender, sender_name, sender_handle;  // address; name for people; "@ada" or empty
  std::string chat;                                // where to answer; the group's own address in groups
  std::string group;                               // address of the group; empty: one person
  std::string group_name;
  bool is_mentioned = false;  // in groups: the message is for the agent
  std::string message;        // the provider's id, for replies
  std::string text, language, button;
  std::vector<FileReference> files;
};

struct Sending {
  std::string key;  // stays the same when the message is sent again
  std::string chat;
  std::string text;  // Markdown
  std::string edits, reply_to;
  std::vector<Button> buttons;
  std::string file_name;  // not empty: a file with this content and without text
  std::string content;
  std::optional<store::Time> last_heard;  // when the person of the chat last wrote; unknown of groups
};

struct SendFailure {
  std::string reason;                                    // a sentence without secrets
  bool is_final = false;                                 // another attempt would fail, too
  bool may_have_arrived = false;                         // there was no complete answer
  bool is_refused = false;                               // the provider refuses the credentials
  std::optional<std::chrono::milliseconds> retry_after;  // as the provider says; then nothing is sent until then
};
using SendResult = std::variant<std::string, SendFailure>;  // the provider's id of the message

struct Traits {
  Format format = Format::plain;
  TextLimit text{.length = 4'000};
  std::size_t max_file_bytes = 20u << 20;
  bool can_edit = false;
  bool is_idempotent = false;          // the provider drops a second message with the same key
  bool is_pushed = false;              // events come in requests of the provider; else the box asks for them
  bool takes_pushes = false;           // the provider may send requests besides
  bool reports_delivery = false;       // a message that was taken may fail later, which is pushed
  std::size_t button_text = 0;         // length of a text with buttons; 0: as of any text
  std::chrono::milliseconds pace{50};  // between two messages of the channel
};

// What became of a message that the provider had taken.
struct DeliveryReport {
  std::string key;      // of Sending
  std::string failure;  // empty: it has arrived
};

// What a pushed request brings.
struct Push {
  std::vector<Received> received;
  std::vector<DeliveryReport> reports;
  std::string answer = "{\"ok\":true}";  // the body of a 200
  std::string content_type = "application/json";
};

// One channel at its provider. On the home thread, except push() and complete(). Errors are sentences without secrets;
// unauthenticated: the provider refuses the credentials.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual const Traits& traits() const = 0;
  // Verifies the credentials and prepares the provider. The identity for people ("@scout_bot").
  virtual web::Task<web::Result<std::string>> sign_in() = 0;
  // Waits for events, at most about a minute; what a call returns counts as acknowledged when the next one is made.
  virtual web::Task<web::Result<std::vector<Received>>> receive() { co_return std::vector<Received>(); }
  // Where receiving continues after a restart, as the constructor finds it in the channel's record. Stored after what
  // came before it.
  virtual std::string cursor() const { return {}; }
  // Checks the provider's signature. Also of GET requests, by which providers verify an address. Callable from every
  // thread.
  virtual web::Result<Push> push(const web::Request&, const std::string& /*body*/) const { return web::not_found(); }
  // Looks up what pushed events lack, such as names of people, for as long as the provider waits for its answer.
  // Callable from every thread.
  virtual web::Task<> complete(Received&) { co_return; }
  virtual web::Task<SendResult> send(Sending) = 0;
  // Shows for some seconds that an answer is being written.
  virtual web::Task<> typing(std::string /*chat*/) { co_return; }
  virtual web::Task<web::Result<std::string>> download(FileReference) {
    co_return web::invalid("This channel has no files");
  }
  // An address that opens a conversation and says `secret`; empty if the provider has none.
  virtual std::string invitation_url(std::string_view /*secret*/) const { return {}; }
  // receive() is not called again: calls in progress that it would have woken end.
  virtual void disconnected() {}
};

// Of the box, for all adapters.
struct AdapterSettings {
  std::string telegram_api_url, slack_api_url, discord_api_url, whatsapp_api_url;
  web::Reach user_reach = web::Reach::public_only;  // for addresses that owners enter
  std::function<std::string()> site;                // the box's address for providers, without a slash at the end
};

// invalid, naming the field: credentials or options that the kind cannot have.
web::Result<std::unique_ptr<Adapter>> make_adapter(const Channel&, const AdapterSettings&);

// Who is calling, for the ledger of outbound connections.
web::CallOrigin origin_of(const Channel&);
// The path for pushed events of a channel.
std::string push_path(const std::string& channel);
// The member of the channel's secrets; empty if it is missing.
std::string secret_of(const Channel&, std::string_view name);
// For providers without buttons: a text that says what to answer, and a message that is such an answer made a press.
std::string with_answers(std::string text, const std::vector<Button>&);
void read_answer(Received&);
// What a failed exchange means for a message: `has_begun` once the request was written.
SendFailure failure_of(const web::Error&, bool has_begun);
// What addresses that a provider names may lead to: public ones, unless its own is private.
web::Reach reach_of_provider(const std::string& api_url);
// A response other than success: 429 with Retry-After and 5xx can be repeated.
SendFailure failure_of(const web::FetchResponse&, std::string reason);

}  // namespace channels
