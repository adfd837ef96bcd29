// Anthropic's messages as clients send and read them: the counterpart of anthropic_wire.h, which speaks with the
// vendor.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/routes/route.h"

namespace models::messages {

// A client's request. Kind::invalid names the field: "messages[2].content[0].type must be ...". Parameters that the box
// does not pass on and that would change the answer are refused; those that concern caches or the account at the vendor
// are accepted and dropped. Without `max_tokens` only if `is_count`, for requests that only count tokens.
web::Result<ChatRequest> parse_request(const boost::json::object& body, bool is_count = false);

// Clients send reasoning back with what they know of it: a signature, or sealed data. Reasoning of other providers than
// anthropic carries its provider, format and id in front of these, so that it finds the way back.
std::string pack_reasoning(const Reasoning&, std::string_view payload);
// What pack_reasoning was given, the payload as its signature.
Reasoning unpack_reasoning(std::string_view packed);

// The signature of a tool call (Gemini's). The form has no place for it: it travels as redacted thinking.
struct CallSignature {
  std::string provider, call, signature;  // `call`: the id
};
std::string pack_call_signature(const CallSignature&);
std::optional<CallSignature> unpack_call_signature(std::string_view packed);

// One answer as it grows: its blocks, and the server-sent events about them.
class Output {
 public:
  // `model`: the one that serves.
  explicit Output(std::string_view model);

  // Each returns whole server-sent events. Blocks of text and reasoning end when another block begins; calls end with
  // the answer, since pieces of parallel ones may alternate.
  std::string begin();
  std::string take(const AnswerPiece&);
  std::string finish(const ChatAnswer&);
  // The stream ends with this event.
  static std::string fail(const web::Error&);
  static std::string ping();

 private:
  enum class Kind { text, reasoning };
  struct Open {
    Kind kind;
    std::size_t index;
    std::size_t block = 0;  // of reasoning: AnswerPiece::block
  };
  struct Call {
    std::size_t index;
    std::string id;
  };
  std::string open(boost::json::object block, std::size_t& index);
  std::string close();  // the open block of text or reasoning
  std::string take_text(std::string_view);
  std::string take_call(const AnswerPiece&);
  std::string take_reasoning(const AnswerPiece&);
  std::string whole_block(boost::json::object block);

  const std::string id_, model_;
  std::size_t blocks_ = 0;
  std::optional<Open> open_;
  std::map<std::size_t, Call> calls_;  // open ones, by AnswerPiece::call
};

// The whole message, for answers that are not streamed.
boost::json::object to_wire(const ChatAnswer&);

// {type: "error", error: {type, message}}: type is Anthropic's name of the kind.
boost::json::object error_body(const web::Error&);
boost::json::value error_schema();
// The forms of all errors of the model API, with or without a row: Anthropic's for messages, Google's for /v1beta,
// OpenAI's for the rest of /v1 and the paths that stand for it.
std::vector<web::ErrorForm> error_forms();

}  // namespace models::messages
