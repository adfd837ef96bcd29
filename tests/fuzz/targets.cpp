#include "tests/fuzz/targets.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "tests/fuzz/require.h"
#include "web/protocol/chunk_check.h"
#include "web/protocol/head_check.h"
#include "web/protocol/request_head.h"
#include "web/routes/endpoint.h"

namespace fuzz {

namespace http = boost::beast::http;

namespace {

struct DecodedChunks {
  std::size_t size = 0;  // of the bytes that were used
  std::string data;
  web::ChunkDecoder::State state = web::ChunkDecoder::State::need_more;
  int status = 0;
};

DecodedChunks decode_chunks(std::string_view bytes, std::size_t piece) {
  web::ChunkDecoder decoder(1u << 20);
  DecodedChunks result;
  for (std::size_t from = 0, to = 0; to < bytes.size();) {
    to = std::min(bytes.size(), to + piece);
    for (;;) {
      const auto step = decoder.next(bytes.substr(from, to - from));
      require(step.consumed <= to - from, "no more is consumed than there is");
      result.size = from += step.consumed;
      result.data += step.data;
      if (step.state == web::ChunkDecoder::State::need_more) break;
      result.state = step.state;
      result.status = step.status;
      if (step.state != web::ChunkDecoder::State::data) return result;
    }
  }
  result.state = web::ChunkDecoder::State::need_more;
  return result;
}

// Beast reads these chunks to the same end.
void require_same_by_beast(std::string_view bytes, const DecodedChunks& decoded) {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto whole = head + std::string(bytes);
  http::request_parser<http::string_body> beast;
  beast.eager(true);
  beast.body_limit(boost::none);
  beast.header_limit(1u << 20);
  boost::system::error_code error;
  std::size_t used = 0;
  while (!error && !beast.is_done() && used < whole.size())
    used += beast.put(boost::asio::buffer(whole.data() + used, whole.size() - used), error);
  require(beast.is_done(), "Beast takes it for a whole body as well");
  require(used == head.size() + decoded.size, "Beast sees the same end");
  require(beast.get().body() == decoded.data, "Beast sees the same data");
}

enum class Mood { calm, busy };
BOOST_DESCRIBE_ENUM(Mood, calm, busy)
struct Inner {
  web::Text<1, 5> word;
  std::optional<Mood> mood;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (word, mood))
struct Form {
  web::Text<0, 10> text;
  std::optional<web::Prose<0, 100>> prose;
  std::optional<web::Integer<-5, 5>> number;
  std::optional<web::NumberBetween<0, 1>> share;
  std::optional<bool> flag;
  std::optional<web::List<Inner, 0, 3>> list;
  std::optional<boost::json::object> anything;
};
BOOST_DESCRIBE_STRUCT(Form, (), (text, prose, number, share, flag, list, anything))

}  // namespace

void request_head(std::string_view bytes) {
  const web::HeadLimits limits;
  const auto result = web::check_request_head(bytes, limits);
  const auto* head = std::get_if<web::RequestHead>(&result);
  if (!head) return;
  const auto whole = bytes.substr(0, head->size);
  require(head->size <= bytes.size() && whole.ends_with("\r\n\r\n"), "a head ends in an empty line");
  require(std::holds_alternative<web::NeedMore>(web::check_request_head(whole.substr(0, whole.size() - 1), limits)),
          "a byte less is not a head");
  const auto again = web::check_request_head(whole, limits);
  require(std::get<web::RequestHead>(again).content_length == head->content_length, "what follows does not matter");

  http::request_parser<http::empty_body> beast;
  beast.header_limit(static_cast<std::uint32_t>(limits.head_bytes));
  beast.body_limit(boost::none);
  boost::system::error_code error;
  beast.put(boost::asio::buffer(whole), error);
  if (!error || error == http::error::need_more) {
    require(beast.is_header_done(), "Beast takes it for a head as well");
    require(beast.chunked() == (head->body == web::Framing::chunked), "Beast sees the same coding");
    const auto length = beast.content_length();
    require(beast.chunked() || (length ? *length : 0) == head->content_length, "Beast sees the same length");
  }
  web::Request request;
  if (!web::parse_request(whole, *head, limits.fields, request))
    require(request.path.find("..") == std::string::npos || request.path.find("/../") == std::string::npos,
            "a path does not climb");
}

void chunks(std::string_view bytes) {
  const auto whole = decode_chunks(bytes, std::max<std::size_t>(bytes.size(), 1));
  for (const std::size_t piece : {1u, 2u, 5u}) {
    const auto cut = decode_chunks(bytes, piece);
    require(cut.state == whole.state && cut.status == whole.status, "the result does not depend on the cuts");
    if (whole.state == web::ChunkDecoder::State::done) require(cut.data == whole.data, "nor does the data");
  }
  if (whole.state == web::ChunkDecoder::State::done) require_same_by_beast(bytes, whole);
}

void fields(std::string_view bytes) {
  web::Request request;
  request.method = web::Method::post;
  request.body = bytes;
  auto form = web::parse_body<Form>(request);
  if (!form) {
    require(form.error().kind == web::Kind::invalid && !form.error().message.empty(), "a refusal says why");
    return;
  }
  std::string text;
  web::write_json(text, *form);
  request.body = text;
  const auto again = web::parse_body<Form>(request);
  require(again.has_value(), "what was read can be written and read again");
  std::string text_again;
  web::write_json(text_again, *again);
  require(text_again == text, "and says the same");
}

}  // namespace fuzz
