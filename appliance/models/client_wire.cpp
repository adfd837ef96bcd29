#include "appliance/models/client_wire.h"

#include <boost/json.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <cmath>
#include <utility>

#include "web/client/fetch.h"
#include "web/routes/reply.h"
#include "web/uri.h"

namespace models {

namespace json = boost::json;

const json::value* given(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

std::string at(std::string_view list, std::size_t index, std::string_view field) {
  auto where = std::string(list) + "[" + std::to_string(index) + "]";
  if (!field.empty()) where.append(".").append(field);
  return where;
}

web::Result<std::optional<double>> number_within(const json::object& body, std::string_view name, double low,
                                                 double high) {
  const auto* value = given(body, name);
  if (!value) return std::optional<double>{};
  boost::system::error_code error;
  const auto number = value->is_number() ? value->to_number<double>(error) : std::nan("");
  if (!(number >= low && number <= high)) {
    return web::invalid(std::string(name) + " must be a number from " + std::to_string(static_cast<int>(low)) + " to " +
                        std::to_string(static_cast<int>(high)));
  }
  return std::optional(number);
}

bool is_base64(std::string_view data) {
  return !data.empty() &&
         data.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == data.npos;
}

bool is_media_type(std::string_view type) {
  return type.size() < 128 && type.find('/') != type.npos && type.find_first_of(" \"\r\n;,") == type.npos;
}

bool is_public_url(std::string_view url) {
  if (url.starts_with("https://")) return true;
  if (!url.starts_with("http://")) return false;
  const auto parsed = web::parse_uri(url);
  if (!parsed) return false;
  const auto host = parsed->host_address();
  return host != "localhost" && !host.ends_with(".localhost") && host.find_first_of(".:") != host.npos &&
         (parsed->host_type() == boost::urls::host_type::name || web::is_public_address(host));
}

std::string_view effort_of_budget(std::int64_t tokens) {
  constexpr std::int64_t little = 4'000, much = 16'000;
  if (tokens <= little) return "low";
  return tokens <= much ? "medium" : "high";
}

json::object answer_of_schema(const json::object& schema) {
  return {{"type", "json_schema"}, {"json_schema", {{"name", "answer"}, {"schema", schema}, {"strict", true}}}};
}

std::string json_text(const json::object& object) {
  std::string text;
  web::write_json(text, object);
  return text;
}

std::string json_text(const json::value& value) {
  std::string text;
  web::write_json(text, value);
  return text;
}

json::object arguments_object(const ToolCall& call) {
  boost::system::error_code error;
  auto arguments = json::parse(call.arguments, error);
  if (error || !arguments.is_object()) return {{"invalid_arguments", call.arguments}};
  return std::move(arguments.get_object());
}

void ContentBuilder::add_text(std::string_view text) {
  if (text.empty()) return;
  // An assistant's parts are one text that citations and calls have cut.
  if (!message_.content.empty() && message_.role != Role::assistant) message_.content += '\n';
  message_.content += text;
  parts_.push_back({.text = std::string(text), .url = {}, .detail = {}});
}

void ContentBuilder::add_file(Part file) {
  parts_.push_back(std::move(file));
  has_files_ = true;
}

void ContentBuilder::finish() {
  if (has_files_) message_.parts = std::move(parts_);
}

}  // namespace models
