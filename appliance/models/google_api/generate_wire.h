// Google's generateContent as clients send and read it: the counterpart of google_wire.h, which speaks with the vendor.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models::generate {

struct Parsed {
  ChatRequest request;
  bool includes_thoughts = false;  // the client wants to see the reasoning
};

// A client's request to `model`, which is part of the path. Members may be in camelCase or snake_case, as Google takes
// both. Kind::invalid names the field: "contents[2].parts[0] must have ...". Parameters that the box does not pass on
// and that would change the answer are refused; those that concern the account at the vendor are accepted and dropped.
web::Result<Parsed> parse_request(const boost::json::object& body, std::string model);

// A schema of OpenAPI's kind (type: STRING, nullable, numbers as text) as JSON Schema.
boost::json::object json_schema_of(const boost::json::object& schema);

// What clients give back unchanged in a thoughtSignature: the reasoning of a turn, and the signature of a call. Those
// of Google itself are in it as they are. All else is packed, with the provider that it goes back to.
struct Signed {
  std::vector<Reasoning> reasoning;
  std::string signature, signed_by;  // of the call
};
std::string pack(const Signed&);
// Not set: the signature is Google's own.
std::optional<Signed> unpack(std::string_view signature);

// One answer as it grows: each piece of it is an answer in itself.
class Output {
 public:
  // `model`: the one that serves.
  Output(std::string_view model, bool includes_thoughts);

  // Not set: there is nothing to send. Calls are sent with the end, when their arguments are complete.
  std::optional<boost::json::object> take(const AnswerPiece&);
  // What has not been sent yet, the reason to finish and the usage.
  boost::json::object finish(const ChatAnswer&);
  // The answer of a call that is not streamed.
  boost::json::object whole(const ChatAnswer&);

 private:
  boost::json::object answer(boost::json::array parts) const;

  const std::string id_, model_;
  const bool includes_thoughts_;
};

// {error: {code, message, status, details}}: status is Google's name of the kind.
boost::json::object error_body(const web::Error&);
boost::json::value error_schema();

}  // namespace models::generate
