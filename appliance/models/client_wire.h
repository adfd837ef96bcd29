// What the readers of clients' requests share, whichever vendor's form they are in.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models {

// The member, or null when it is absent or JSON null: clients send both for "not given".
const boost::json::value* given(const boost::json::object&, std::string_view name);

// messages[2], messages[2].role
std::string at(std::string_view list, std::size_t index, std::string_view field = {});

// A member that is a number in these bounds, which are whole; not set: it is not given. Kind::invalid names it.
web::Result<std::optional<double>> number_within(const boost::json::object&, std::string_view name, double low,
                                                 double high);

bool is_base64(std::string_view data);
bool is_media_type(std::string_view type);
// Whether models may be given the address: a server that fetches it may stand in the box's own network.
bool is_public_url(std::string_view url);

// The reasoning_effort for a budget of thinking tokens.
std::string_view effort_of_budget(std::int64_t tokens);

// The response_format for answers of this schema.
boost::json::object answer_of_schema(const boost::json::object& schema);

// JSON with numbers as models and people write them: 50.2 and not 5.02E1.
std::string json_text(const boost::json::object&);
std::string json_text(const boost::json::value&);

// A call's arguments for forms that have them as an object. Invalid ones stay visible, as {invalid_arguments: text}, so
// that the client's check of them reports them to the model.
boost::json::object arguments_object(const ToolCall&);

// Collects the text and the parts of a message, or of the result of a tool.
class ContentBuilder {
 public:
  explicit ContentBuilder(Message& message) : message_(message) {}

  void add_text(std::string_view);
  void add_file(Part);  // or an image, or audio
  // Parts are kept only where there is more than text.
  void finish();

 private:
  Message& message_;
  std::vector<Part> parts_;
  bool has_files_ = false;
};

}  // namespace models
