// OpenAI's responses, the newer form of asking a model, in both directions. Responses are not stored here, so each
// request holds its whole conversation.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models::responses {

// In characters: also as emoji they fit into a body.
inline constexpr std::size_t max_instructions = 200'000;

// What an answer repeats of its request.
struct Echo {
  boost::json::object members;
};

struct Parsed {
  ChatRequest request;
  Echo echo;
};

// The item of an earlier response with this id; not set: it is not known.
using FindItem = std::function<std::optional<boost::json::object>(std::string_view id)>;

// Kind::invalid names the field: "input[2].type must be one of: ...". Refused are parameters that need a store
// (previous_response_id, conversation, background) and tools that the box does not have (only functions).
web::Result<Parsed> parse_request(boost::json::object body, const FindItem&);

struct Event {
  std::string type, data;  // the data has the type, too
};
using Events = std::vector<Event>;

// One answer, as it grows: the items of its output, and the server-sent events about them.
class Output {
 public:
  // `model`: the one that serves.
  Output(const Echo& echo, std::string_view model);

  Events begin();
  Events take(const AnswerPiece&);
  // Ends every item, then the response.
  Events finish(const ChatAnswer&);
  Events fail(const web::Error&);

  // The whole response, for answers that are not streamed.
  boost::json::object whole(const ChatAnswer&);

  // The items that are complete.
  boost::json::array output() const;

 private:
  enum class Kind { message, refusal, call, reasoning, image };
  struct Item {
    Kind kind = Kind::message;
    std::string id, call_id, name;
    std::string text;  // of a message; the arguments of a call; base64 of an image
    Reasoning reasoning;
    std::string encrypted;  // of reasoning, once it is complete
    boost::json::array annotations;
    bool is_done = false;
  };
  class Collector;
  // Begins an item, after the one that is being written has ended.
  std::size_t open(Item, Events&);
  std::size_t open_text(Kind, Events&);
  void take_text(Kind, const std::string& text, Events&);
  void take_reasoning(std::size_t block, const Reasoning&, Events&);
  void take_call(const AnswerPiece&, Events&);
  void take_annotations(const boost::json::array&, Events&);
  // A whole item.
  void add(Item, Events&);
  void close_current(Events&);
  void close_text(const Item&, std::size_t at, Events&);
  void close(std::size_t at, Events& events);
  boost::json::object to_wire(const Item&, bool is_done) const;
  boost::json::object response(std::string_view status, const ChatAnswer* answer) const;
  Event event(std::string type, boost::json::object members);

  const boost::json::object echo_;
  const std::string id_;
  const std::string model_;
  const std::int64_t created_;
  std::int64_t sequence_ = 0;
  std::vector<Item> items_;
  std::optional<std::size_t> current_;         // the message or the reasoning that is being written
  std::map<std::size_t, std::size_t> calls_;   // by the index in AnswerPiece::call
  std::map<std::size_t, std::size_t> blocks_;  // by the index in AnswerPiece::block
};

}  // namespace models::responses
