// The XML of XMPP (RFC 6120): one endless document, read stanza by stanza with expat.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace channels {

struct XmlElement {
  std::string name, space;                                      // without prefix; the namespace
  std::vector<std::pair<std::string, std::string>> attributes;  // those with a namespace as "namespace\nname"
  std::string text;
  std::vector<XmlElement> children;

  std::string attribute(std::string_view wanted) const;  // empty if there is none
  // The first one; null if there is none. Without a namespace: of any.
  const XmlElement* child(std::string_view wanted, std::string_view wanted_space = {}) const;
  std::string child_text(std::string_view wanted, std::string_view wanted_space = {}) const;
};

class XmlStream {
 public:
  XmlStream();
  ~XmlStream();

  // False if it is not XML that XMPP allows (no entities, no instructions), or a stanza is too large.
  bool feed(std::string_view bytes);
  bool has_next() const { return !stanzas_.empty(); }
  XmlElement next();
  bool has_ended() const { return has_ended_; }

 private:
  struct Handlers;
  struct Free {
    void operator()(void* parser) const;
  };
  const std::unique_ptr<void, Free> parser_;
  std::deque<XmlElement> stanzas_;
  std::vector<XmlElement> open_;  // the stanza that is being read, and the elements within it
  std::size_t depth_ = 0, bytes_ = 0;
  bool has_ended_ = false, is_refused_ = false;

  friend struct Handlers;
};

std::string xml_attribute(std::string_view name, std::string_view value);  // with a space before it
std::string xml_element(std::string_view name, std::string_view text);
// Without what XML does not have, and which would end the stream.
std::string xml_text(std::string_view text);

}  // namespace channels
