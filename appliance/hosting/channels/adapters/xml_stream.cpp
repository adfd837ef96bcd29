#include "appliance/hosting/channels/adapters/xml_stream.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <new>
#include <tuple>

#include "web/markup.h"

// Since Debian's 2.5.0-1+deb12u2. An expat without it, which may still be the installed one, does not defer either.
extern "C" XMLPARSEAPI(XML_Bool) XML_SetReparseDeferralEnabled(XML_Parser, XML_Bool) __attribute__((weak));

namespace channels {

namespace {

constexpr std::size_t max_stanza_bytes = 1u << 20, max_depth_of_stanza = 64;

std::pair<std::string, std::string> parted(std::string_view name) {
  const auto line = name.find('\n');
  if (line == name.npos) return {{}, std::string(name)};
  return {std::string(name.substr(0, line)), std::string(name.substr(line + 1))};
}

}  // namespace

void XmlStream::Free::operator()(void* parser) const { XML_ParserFree(static_cast<XML_Parser>(parser)); }

// Exceptions must not pass expat's frames.
struct XmlStream::Handlers {
  template <class Work>
  static void guard(XmlStream& self, Work work) {
    if (self.is_refused_) return;
    try {
      work();
    } catch (const std::exception&) {
      self.is_refused_ = true;
    }
    if (self.is_refused_) XML_StopParser(static_cast<XML_Parser>(self.parser_.get()), XML_FALSE);
  }
  static void open(void* data, const char* name, const char** attributes) {
    auto& self = *static_cast<XmlStream*>(data);
    guard(self, [&] {
      if (++self.depth_ == 1) return;  // the stream itself
      if (self.depth_ > max_depth_of_stanza) {
        self.is_refused_ = true;
        return;
      }
      XmlElement element;
      std::tie(element.space, element.name) = parted(name);
      for (; *attributes; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
      self.open_.push_back(std::move(element));
    });
  }
  static void close(void* data, const char*) {
    auto& self = *static_cast<XmlStream*>(data);
    guard(self, [&] {
      if (--self.depth_ == 0) {
        self.has_ended_ = true;
        return;
      }
      auto element = std::move(self.open_.back());
      self.open_.pop_back();
      if (self.open_.empty()) {
        self.stanzas_.push_back(std::move(element));
        self.bytes_ = 0;
      } else {
        self.open_.back().children.push_back(std::move(element));
      }
    });
  }
  static void text(void* data, const char* text, int size) {
    auto& self = *static_cast<XmlStream*>(data);
    guard(self, [&] {
      if (!self.open_.empty()) self.open_.back().text.append(text, std::size_t(size));
    });
  }
  static void refuse(XmlStream& self) {
    guard(self, [&] { self.is_refused_ = true; });
  }
  static void doctype(void* data, const char*, const char*, const char*, int) {
    refuse(*static_cast<XmlStream*>(data));
  }
  static void instruction(void* data, const char*, const char*) { refuse(*static_cast<XmlStream*>(data)); }
};

XmlStream::XmlStream() : parser_(XML_ParserCreateNS("UTF-8", '\n')) {
  if (!parser_) throw std::bad_alloc();
  auto* parser = static_cast<XML_Parser>(parser_.get());
  XML_SetUserData(parser, this);
  // A stanza that came in two pieces would wait for more; stanzas are short enough to be read again.
  if (XML_SetReparseDeferralEnabled) XML_SetReparseDeferralEnabled(parser, XML_FALSE);
  XML_SetElementHandler(parser, &Handlers::open, &Handlers::close);
  XML_SetCharacterDataHandler(parser, &Handlers::text);
  XML_SetStartDoctypeDeclHandler(parser, &Handlers::doctype);
  XML_SetProcessingInstructionHandler(parser, &Handlers::instruction);
}

XmlStream::~XmlStream() = default;

bool XmlStream::feed(std::string_view bytes) {
  bytes_ = open_.empty() ? bytes.size() : bytes_ + bytes.size();
  if (bytes_ > max_stanza_bytes) return false;
  const auto status = XML_Parse(static_cast<XML_Parser>(parser_.get()), bytes.data(), int(bytes.size()), XML_FALSE);
  return status == XML_STATUS_OK && !is_refused_;
}

XmlElement XmlStream::next() {
  auto stanza = std::move(stanzas_.front());
  stanzas_.pop_front();
  return stanza;
}

std::string XmlElement::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, [](const auto& one) { return std::string_view(one.first); });
  return found == attributes.end() ? std::string() : found->second;
}

const XmlElement* XmlElement::child(std::string_view wanted, std::string_view wanted_space) const {
  const auto found = std::find_if(children.begin(), children.end(), [&](const XmlElement& one) {
    return one.name == wanted && (wanted_space.empty() || one.space == wanted_space);
  });
  return found == children.end() ? nullptr : &*found;
}

std::string XmlElement::child_text(std::string_view wanted, std::string_view wanted_space) const {
  const auto* found = child(wanted, wanted_space);
  return found ? found->text : std::string();
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + web::escape_attribute(value) + "\"";
}

std::string xml_element(std::string_view name, std::string_view text) {
  return "<" + std::string(name) + ">" + web::escape_markup(text) + "</" + std::string(name) + ">";
}

std::string xml_text(std::string_view text) {
  std::string clean(text);
  std::erase_if(clean, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'; });
  return clean;
}

}  // namespace channels
