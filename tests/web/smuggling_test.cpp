// Requests that two parsers could frame differently are refused before a handler sees them, and the connection closes.
#include "tests/web/wire_fixture.h"
#include "web/protocol/chunk_check.h"
#include "web/protocol/head_check.h"

namespace web::tests {
namespace smuggling_test {

using namespace std::string_literals;

constexpr std::uint64_t megabyte = 1024 * 1024;

struct Shape {
  std::string name;
  std::string bytes;
  int status = 400;
};

std::string head(std::string_view fields, std::string_view body = {}, std::string_view version = "HTTP/1.1") {
  return "POST /echo " + std::string(version) + "\r\nHost: box\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

const std::string smuggled = get("/ask?smuggled");

std::vector<Shape> shapes() {
  return {
      {"both_lengths", head("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"both_lengths_other_order", head("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\n" + smuggled)},
      {"two_lengths", head("Content-Length: 4\r\nContent-Length: 0\r\n", "abcd" + smuggled)},
      {"two_equal_lengths", head("Content-Length: 4\r\nContent-Length: 4\r\n", "abcd" + smuggled)},
      {"list_of_lengths", head("Content-Length: 4, 4\r\n", "abcd" + smuggled)},
      {"positive_length", head("Content-Length: +4\r\n", "abcd" + smuggled)},
      {"negative_length", head("Content-Length: -4\r\n", "abcd" + smuggled)},
      {"hexadecimal_length", head("Content-Length: 0x4\r\n", "abcd" + smuggled)},
      {"spaced_length", head("Content-Length: 1 0\r\n", "abcd" + smuggled)},
      {"empty_length", head("Content-Length:\r\n", smuggled)},
      {"overflowing_length", head("Content-Length: 18446744073709551620\r\n", "abcd" + smuggled)},
      {"two_codings", head("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"chunked_twice", head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"chunked_not_last", head("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n" + smuggled)},
      {"identity", head("Transfer-Encoding: identity\r\n", smuggled)},
      {"quoted_coding", head("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n" + smuggled)},
      {"vertical_tab_coding", head("Transfer-Encoding: \x0b"
                                   "chunked\r\n",
                                   "0\r\n\r\n" + smuggled)},
      {"chunked_twice_in_one", head("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"empty_coding", head("Transfer-Encoding:\r\nContent-Length: 4\r\n", "abcd" + smuggled)},
      {"chunked_in_1_0", head("Transfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled, "HTTP/1.0")},
      {"space_before_colon", head("Content-Length : 4\r\n", "abcd" + smuggled)},
      {"tab_before_colon", head("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"folded_field", head("X-One: 1\r\n Transfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"leading_space", "POST /echo HTTP/1.1\r\n Host: box\r\nHost: box\r\n\r\n" + smuggled},
      {"no_colon", head("X-Nothing\r\n", smuggled)},
      {"empty_name", head(": value\r\n", smuggled)},
      {"bare_line_feed", "POST /echo HTTP/1.1\nHost: box\nContent-Length: 4\n\nabcd" + smuggled},
      {"bare_line_feed_in_fields", head("X-One: 1\nContent-Length: 4\r\n", "abcd" + smuggled)},
      {"bare_line_feed_at_the_end", "POST /echo HTTP/1.1\r\nHost: box\r\n\n" + smuggled},
      {"bare_carriage_return", head("X-One: 1\rTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled)},
      {"nul_in_value", head("X-One: a\0b\r\n"s, smuggled)},
      {"control_byte_in_value", head("X-One: a\x01"
                                     "b\r\n",
                                     smuggled)},
      {"delete_in_value", head("X-One: a\x7f\r\n", smuggled)},
      {"byte_beyond_ascii_in_name", head("X-\xc3\xa9: a\r\n", smuggled)},
      {"nul_in_name", head("X-\0One: a\r\n"s, smuggled)},
      {"no_host", "POST /echo HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + smuggled},
      {"two_hosts", head("Host: other\r\n", smuggled)},
      {"host_with_userinfo", "GET /ask HTTP/1.1\r\nHost: box@other\r\n\r\n" + smuggled},
      {"host_with_a_bad_port", "GET /ask HTTP/1.1\r\nHost: box:99999\r\n\r\n" + smuggled},
      {"host_with_two_ports", "GET /ask HTTP/1.1\r\nHost: box:80:80\r\n\r\n" + smuggled},
      {"empty_host", "GET /ask HTTP/1.1\r\nHost:\r\n\r\n" + smuggled},
      {"list_of_hosts", "GET /ask HTTP/1.1\r\nHost: box, other\r\n\r\n" + smuggled},
      {"open_bracket_host", "GET /ask HTTP/1.1\r\nHost: [::1\r\n\r\n" + smuggled},
      {"host_with_path", "GET /ask HTTP/1.1\r\nHost: box/ask\r\n\r\n" + smuggled},
      {"absolute_form_of_another_host", "GET http://other/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"absolute_form_with_userinfo", "GET http://me@box/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"absolute_form_of_another_scheme", "GET ftp://box/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"scheme_alone", "GET http HTTP/1.1\r\nHost: tp\r\n\r\n" + smuggled},
      {"target_without_its_slash", "GET ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"fragment_in_target", "GET /ask#part HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"byte_beyond_ascii_in_target", "GET /\xc3\xa9 HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"control_byte_in_target", "GET /ask\x01 HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"nul_in_target", "GET /ask\0x HTTP/1.1\r\nHost: box\r\n\r\n"s + smuggled},
      {"two_spaces", "GET  /ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"tab_in_the_first_line", "GET\t/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"space_in_target", "GET /ask /ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"lower_case_version", "GET /ask http/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"longer_version", "GET /ask HTTP/1.10\r\nHost: box\r\n\r\n" + smuggled},
      {"no_version", "GET /ask\r\nHost: box\r\n\r\n" + smuggled},
      {"empty_line_first", "\r\nGET /ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"expects_what_nobody_can", head("Expect: miracles\r\nContent-Length: 4\r\n", "abcd" + smuggled), 417},
      {"http_0_9", "GET /ask\r\n" + smuggled},
      {"http_2_preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"tls_hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 random bytes\r\n\r\n"s},
      {"connect", "CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n" + smuggled},
      {"asterisk_get", "GET * HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"signed_chunk", chunked_post("+5\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"prefixed_chunk", chunked_post("0x5\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"spaced_chunk", chunked_post(" 5\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"long_chunk_size", chunked_post("00000000000000005\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"overflowing_chunk", chunked_post("ffffffffffffffff\r\nhello\r\n0\r\n\r\n" + smuggled), 413},
      {"chunk_with_bare_line_feed", chunked_post("5\nhello\r\n0\r\n\r\n" + smuggled)},
      {"extension_with_line_feed", chunked_post("5;a\nb\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"extension_with_carriage_return", chunked_post("5;a\rb\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"data_longer_than_its_chunk", chunked_post("5\r\nhello!\r\n0\r\n\r\n" + smuggled)},
      {"chunk_without_its_end", chunked_post("5\r\nhello0\r\n\r\n" + smuggled)},
      {"negative_chunk", chunked_post("-5\r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"empty_chunk_size", chunked_post("\r\n0\r\n\r\n" + smuggled)},
      {"space_behind_chunk_size", chunked_post("5 \r\nhello\r\n0\r\n\r\n" + smuggled)},
      {"nul_in_extension", chunked_post("5;a\0b\r\nhello\r\n0\r\n\r\n"s + smuggled)},
      {"folded_trailer", chunked_post("0\r\nX-One: 1\r\n X-Two: 2\r\n\r\n" + smuggled)},
      {"trailer_that_frames", chunked_post("0\r\nContent-Length: 5\r\n\r\n" + smuggled)},
      {"trailer_with_space", chunked_post("0\r\nX-One : 5\r\n\r\n" + smuggled)},
      {"trailer_with_line_feed", chunked_post("0\r\nX-One: 5\n\r\n" + smuggled)},
  };
}

class Smuggling : public WireTest, public ::testing::WithParamInterface<Shape> {};

TEST_P(Smuggling, IsRefusedAndReachesNoHandler) {
  serve();
  auto one = client();
  one.send(GetParam().bytes);
  const auto answer = one.answer();
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_THAT(answer.body, ::testing::HasSubstr("\"error\""));
  EXPECT_TRUE(one.closed());
  EXPECT_THAT(reached(), ::testing::IsEmpty());
}

const auto name_of = [](const auto& shape) { return shape.param.name; };
INSTANTIATE_TEST_SUITE_P(Shapes, Smuggling, ::testing::ValuesIn(shapes()), name_of);

// The result of the two checks for the first bytes of a connection: 0 while more are needed, 200 for a whole request.
int result(std::string_view bytes) {
  const auto checked = check_request_head(bytes, {});
  if (const auto* refusal = std::get_if<Refusal>(&checked)) return refusal->status;
  const auto* head = std::get_if<RequestHead>(&checked);
  if (!head) return 0;
  if (head->body != Framing::chunked) return 200;
  ChunkDecoder decoder(megabyte);
  for (bytes.remove_prefix(head->size);;) {
    const auto step = decoder.next(bytes);
    bytes.remove_prefix(step.consumed);
    if (step.state == ChunkDecoder::State::refused) return step.status;
    if (step.state == ChunkDecoder::State::done) return 200;
    if (step.state == ChunkDecoder::State::need_more) return 0;
  }
}

class ShapeChecks : public ::testing::TestWithParam<Shape> {};

// However its bytes arrive, a shape is never taken for a whole request, and what has been refused stays refused.
TEST_P(ShapeChecks, RefuseItAtEveryCut) {
  const auto& [name, bytes, status] = GetParam();
  int before = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const int now = result(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(now == status || (now == 0 && before == 0)) << now << " at byte " << size;
    before = now;
  }
  EXPECT_EQ(before, status);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapeChecks, ::testing::ValuesIn(shapes()), name_of);

}  // namespace smuggling_test
}  // namespace web::tests
