// What two parsers could frame differently: refused before a handler sees it, and the connection is not used again.
#include "tests/web/wire_fixture.h"

namespace web::testing {
namespace {

using namespace std::string_literals;

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
      {"nul_in_name", head("X-\0One: a\r\n"s, smuggled)},
      {"no_host", "POST /echo HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + smuggled},
      {"two_hosts", head("Host: other\r\n", smuggled)},
      {"host_with_userinfo", "GET /ask HTTP/1.1\r\nHost: box@other\r\n\r\n" + smuggled},
      {"host_with_path", "GET /ask HTTP/1.1\r\nHost: box/ask\r\n\r\n" + smuggled},
      {"absolute_form_of_another_host", "GET http://other/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"control_byte_in_target", "GET /ask\x01 HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"nul_in_target", "GET /ask\0x HTTP/1.1\r\nHost: box\r\n\r\n"s + smuggled},
      {"two_spaces", "GET  /ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"tab_in_the_first_line", "GET\t/ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"space_in_target", "GET /ask /ask HTTP/1.1\r\nHost: box\r\n\r\n" + smuggled},
      {"lower_case_version", "GET /ask http/1.1\r\nHost: box\r\n\r\n" + smuggled},
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

INSTANTIATE_TEST_SUITE_P(Shapes, Smuggling, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace web::testing
