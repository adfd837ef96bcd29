// What mail, XMPP and IRC channels make of bytes that come from strangers.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/hosting/channels/adapters/html_text.h"
#include "appliance/hosting/channels/adapters/imap.h"
#include "appliance/hosting/channels/adapters/irc.h"
#include "appliance/hosting/channels/adapters/mail_trust.h"
#include "appliance/hosting/channels/adapters/mime.h"
#include "appliance/hosting/channels/adapters/sasl.h"
#include "appliance/hosting/channels/adapters/xml_stream.h"
#include "web/utf8.h"

namespace channels {
namespace {

TEST(MailTest, FindsTheTextAndTheFilesOfNestedParts) {
  const auto mail = read_mail(
      "From: =?utf-8?B?w4RkYQ==?= <ADA@Example.org>\r\n"
      "Content-Type: multipart/mixed; boundary=\"a b\"\r\n\r\npreamble\r\n--a b\r\n"
      "Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n"
      "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
      "Gr=FC=DFe=\r\n!\r\n--in\r\nContent-Type: text/html\r\n\r\n<p>no</p>\r\n--in--\r\n--a b\r\n"
      "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n"
      "Content-Disposition: attachment; filename*0*=utf-8''B%C3%A4; filename*1=r.pdf\r\n\r\nAAAA\r\n--a b--\r\n");
  EXPECT_EQ(mail.text, "Grüße!");
  ASSERT_EQ(mail.attachments.size(), 1U);
  EXPECT_EQ(mail.attachments[0].name, "Bär.pdf");
  EXPECT_EQ(mail.attachments[0].section, "2");
  const auto from = mail_address(mail.headers.first("from"));
  EXPECT_EQ(from.address, "ada@example.org");
  EXPECT_EQ(from.name, "Äda");
}

TEST(MailTest, WhatIsWrittenIsReadAgain) {
  NewMail mail{.from = "scout@example.org",
               .from_name = "Scöut \"x\"",
               .to = "ada@example.org",
               .subject = "Grüße\r\nBcc: eve@example.org " + std::string(200, 'x') + "ü",
               .date = "Fri, 27 Nov 2026 10:00:00 +0000",
               .id = "1@example.org"};
  mail.references = {"<a@b>"};
  mail.text = "**Ü** and a = b\n\n.\n.dot\n" + std::string(300, 'y') + " \nend";
  const auto text = write_mail(mail);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) EXPECT_EQ(text[at - 1], '\r');
  const auto read = read_mail(text);
  EXPECT_EQ(read.headers.first("bcc"), "");
  EXPECT_EQ(decode_words(read.headers.first("subject")), "GrüßeBcc: eve@example.org " + std::string(200, 'x') + "ü");
  EXPECT_EQ(read.text, "Ü and a = b\n\n.\n.dot\n" + std::string(300, 'y') + " \nend");
  mail.file_name = "Bär\r\n.txt";
  mail.content = std::string(1'000, '\xff');
  const auto with_file = read_mail(write_mail(mail));
  ASSERT_EQ(with_file.attachments.size(), 1U);
  EXPECT_EQ(with_file.attachments[0].section, "1");
}

TEST(MailTest, DamagedMailsAreReadAsFarAsTheyGo) {
  const std::string whole =
      "From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; "
      "name=\"x\n\nt\n--b\n"
      "Content-Transfer-Encoding: base64\nContent-Type: text/html; "
      "charset=shift_jis\n\nPHA+5b+F\n--b--\n=?utf-8?Q?=C3?=";
  std::mt19937 random(46);  // NOLINT: the same bytes in every run
  for (int round = 0; round < 3'000; ++round) {
    auto bytes = whole.substr(0, random() % (whole.size() + 1));
    for (int change = 0; change < 4 && !bytes.empty(); ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto mail = read_mail(bytes);
    EXPECT_TRUE(web::is_utf8(mail.text));
    EXPECT_TRUE(web::is_utf8(decode_words(bytes)));
    is_authenticated(mail.headers, "mx", "a@b.example");
    is_automatic(mail.headers, "a@b.example");
    mail_address(bytes);
    without_quote(bytes);
    text_of_html(bytes);
    read_irc_line(bytes);
    imap_time(bytes);
    XmlStream xml;
    if (xml.feed("<s>") && xml.feed(bytes))
      while (xml.has_next()) xml.next();
  }
}

TEST(MailTest, QuotesAndSignaturesAreLeftOut) {
  EXPECT_EQ(without_quote("Yes\n\nOn Friday,\nScout wrote:\n> What?\n>> Who?\n"), "Yes");
  EXPECT_EQ(without_quote("Yes\n-- \nAda"), "Yes");
  EXPECT_EQ(without_quote("> What?\nYes:\nit is"), "> What?\nYes:\nit is");
  EXPECT_EQ(without_quote("> only this"), "");
}

TEST(MailTest, HtmlBecomesText) {
  EXPECT_EQ(
      text_of_html("<head><title>t</title></head><style>p{}</style><p>a &amp; b&#8364;</p><p>c<br>d<script>x</script>"),
      "a & b€\nc\nd");
  EXPECT_EQ(text_of_html("a <!-- <b> --> < b"), "a");
  EXPECT_EQ(text_of_html("&unknown; &#0; &#xD800;"), "&unknown; &#0; &#xD800;");
}

TEST(ImapTest, TimesAreReadWithTheirZones) {
  using namespace std::chrono;
  const auto time = imap_time(" 7-Jul-2026 02:44:25 +0230");
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, sys_days(2026y / July / 7) + 14min + 25s);
  EXPECT_FALSE(imap_time("07-Foo-2026 02:44:25 +0000"));
  EXPECT_FALSE(imap_time("31-Feb-2026 02:44:25 +0000"));
}

// The example of RFC 7677 has a nonce of its own, so the exchange is checked from the server's side.
TEST(ScramTest, AnswersOnlyWhatAClientMay) {
  Scram scram(true, "us=er,x", "pencil");
  const auto first = scram.first();
  EXPECT_TRUE(first.starts_with("n,,n=us=3Der=2Cx,r="));
  const auto nonce = first.substr(first.rfind(",r=") + 3);
  EXPECT_FALSE(scram.answer("r=other,s=c2FsdA==,i=4096"));
  EXPECT_FALSE(scram.answer("r=" + nonce + ",s=c2FsdA==,i=4096"));
  EXPECT_FALSE(scram.answer("r=" + nonce + "x,s=c2FsdA==,i=1"));
  EXPECT_FALSE(scram.answer("r=" + nonce + "x,s=c2FsdA==,i=100000000"));
  const auto answer = scram.answer("r=" + nonce + "x,s=c2FsdA==,i=4096");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->starts_with("c=biws,r=" + nonce + "x,p="));
  EXPECT_FALSE(scram.is_final("v=" + crypto::to_base64(std::string(32, 'x'))));
}

TEST(XmlStreamTest, StanzasComeWholeHoweverTheyAreCut) {
  const std::string bytes =
      "<?xml version='1.0'?><s:stream xmlns='jabber:client' xmlns:s='x'><message from='a'><body>1 &lt; 2</body>"
      "<x xmlns='jabber:x:oob'><url>u</url></x></message><presence/></s:stream>";
  for (std::size_t size = 1; size < 9; ++size) {
    XmlStream xml;
    for (std::size_t at = 0; at < bytes.size(); at += size) ASSERT_TRUE(xml.feed(bytes.substr(at, size)));
    ASSERT_TRUE(xml.has_next());
    const auto message = xml.next();
    EXPECT_EQ(message.child_text("body", "jabber:client"), "1 < 2");
    EXPECT_EQ(message.child("x", "jabber:x:oob")->child_text("url"), "u");
    EXPECT_EQ(xml.next().name, "presence");
    EXPECT_TRUE(xml.has_ended());
  }
  XmlStream entities;
  EXPECT_FALSE(entities.feed("<!DOCTYPE s [<!ENTITY a 'aaaa'>]><s><m>&a;</m>"));
  XmlStream large;
  EXPECT_TRUE(large.feed("<s><m>"));
  bool is_taken = true;
  for (int piece = 0; piece < 20 && is_taken; ++piece) is_taken = large.feed(std::string(100'000, 'x'));
  EXPECT_FALSE(is_taken);
}

TEST(IrcTest, LinesAreReadWithTheirTags) {
  const auto line = read_irc_line("@account=ada;msgid=a\\:b :ada!a@h PRIVMSG #x :hello  there :)");
  EXPECT_EQ(line.tags.at("msgid"), "a;b");
  EXPECT_EQ(line.source, "ada!a@h");
  EXPECT_EQ(line.parameter(0), "#x");
  EXPECT_EQ(line.parameter(1), "hello  there :)");
  EXPECT_EQ(line.parameter(2), "");
}

}  // namespace
}  // namespace channels
