// Mails as RFC 5322 and MIME have them: what people write, and what the box writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace channels {

struct MailHeaders {
  std::vector<std::pair<std::string, std::string>> fields;  // in order; names in lower case, values unfolded

  std::string first(std::string_view name) const;  // empty if there is none
  std::vector<std::string_view> all(std::string_view name) const;
};

// A file of a mail, still encoded.
struct MailAttachment {
  std::string name;
  std::string section;   // the part's number as IMAP counts: "2", "1.2"
  std::string encoding;  // Content-Transfer-Encoding in lower case
  std::size_t size = 0;  // decoded, about
};

struct ReadMail {
  MailHeaders headers;
  std::string text;  // UTF-8 with LF; of a mail that has only HTML, the text of it
  std::vector<MailAttachment> attachments;
};

// Of anything: what is no MIME is text.
ReadMail read_mail(std::string_view bytes);

// Of a body in base64 or quoted-printable; others stay as they are. Damaged pieces are left out.
std::string decode_body(std::string_view body, std::string_view encoding);
// With "=?utf-8?Q?...?=" as UTF-8 (RFC 2047).
std::string decode_words(std::string_view text);
// Without what a reply quotes of an earlier mail below its text, and without a signature.
std::string without_quote(std::string_view text);

struct MailAddress {
  std::string name, address;  // address in lower case; empty if there is none that is accepted
};
// With "%20" as a space.
std::string percent_decoded(std::string_view text);
// The first of a field such as From.
MailAddress mail_address(std::string_view field);

struct NewMail {
  std::string from, from_name, to, subject, date, id;  // id without angle brackets
  std::vector<std::string> references;                 // with them, the last one is answered
  std::string text;                                    // Markdown: as text and as HTML
  std::string file_name, content;                      // a name: a file in the place of the text
};
// With CRLF line ends, marked as automatic (RFC 3834).
std::string write_mail(const NewMail&);

}  // namespace channels
