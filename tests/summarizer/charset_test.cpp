#include "summarizer/charset.h"

#include <gtest/gtest.h>
#include <iconv.h>

#include "web/utf8.h"

namespace summarizer {
namespace charset_test {

std::string decoded(std::string_view bytes, std::string_view content_type = {}) {
  return to_utf8(bytes, find_charset(bytes, content_type));
}

TEST(Charset, ByteOrderMarkComesFirst) {
  EXPECT_EQ(decoded("\xEF\xBB\xBF\xC3\xA9", "text/html; charset=iso-8859-1"), "é");
  EXPECT_EQ(decoded(std::string_view("\xFF\xFEh\0i\0", 6), "text/html; charset=utf-8"), "hi");
  EXPECT_EQ(decoded(std::string_view("\xFE\xFF\0h\0i", 6)), "hi");
}

TEST(Charset, HeaderComesBeforeMeta) {
  const std::string page = "<meta charset=\"utf-8\">\xE9";
  EXPECT_EQ(decoded(page, "text/html; charset=\"ISO-8859-1\""), "<meta charset=\"utf-8\">é");
  EXPECT_EQ(decoded(page, "text/html;charset=latin1;x=y"), "<meta charset=\"utf-8\">é");
  EXPECT_EQ(find_charset(page, "text/html; charset=no-such-thing"), "UTF-8");
}

TEST(Charset, MetaInTheFirstKilobyteCounts) {
  EXPECT_EQ(find_charset("<html><head><META CharSet = 'windows-1251'>", ""), "CP1251");
  EXPECT_EQ(find_charset("<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", ""), "CP932");
  EXPECT_EQ(find_charset("<meta charset=utf-16><p>", ""), "UTF-8");
  EXPECT_EQ(find_charset("<!-- <meta charset=koi8-r> --><meta charset=koi8-u>", ""), "KOI8-U");
  EXPECT_EQ(find_charset(std::string(1024, ' ') + "<meta charset=koi8-r>\xE9", ""), "CP1252");
}

TEST(Charset, AnXmlDeclarationCountsLast) {
  EXPECT_EQ(find_charset("<?xml version='1.0' encoding=\"koi8-r\"?><html>", ""), "KOI8-R");
  EXPECT_EQ(find_charset("<?xml version='1.0' encoding='koi8-r'?><meta charset=koi8-u>", ""), "KOI8-U");
  EXPECT_EQ(find_charset("<?xml version='1.0' encoding='utf-16'?><p>", ""), "UTF-8");
  EXPECT_EQ(find_charset("<?xml version='1.0'?><p>", ""), "UTF-8");
}

TEST(Charset, KnowsTheLabelsOfTheStandard) {
  EXPECT_EQ(find_charset("", "text/html; charset=\" ISO-8859-1 \""), "CP1252");
  EXPECT_EQ(find_charset("", "text/html; charset=x-sjis"), "CP932");
  EXPECT_EQ(find_charset("", "text/html; charset=KS_C_5601-1987"), "CP949");
  EXPECT_EQ(find_charset("", "text/html; charset=hz-gb-2312"), "UTF-8");  // refused by browsers: as if absent
}

// A few words in an undeclared encoding.
std::string in_charset(const char* charset, std::string_view utf8) {
  const auto handle = ::iconv_open(charset, "UTF-8");
  std::string bytes(utf8.size() * 4, '\0');
  char *in = const_cast<char*>(utf8.data()), *out = bytes.data();
  std::size_t in_left = utf8.size(), out_left = bytes.size();
  EXPECT_NE(::iconv(handle, &in, &in_left, &out, &out_left), std::size_t(-1)) << charset;
  ::iconv(handle, nullptr, nullptr, &out, &out_left);
  ::iconv_close(handle);
  bytes.resize(bytes.size() - out_left);
  return bytes;
}

TEST(Charset, GuessesByTheLettersOfALanguage) {
  const std::string russian = "Маяк стоит на скале уже больше ста лет, и каждый вечер смотритель зажигает лампу.";
  for (const char* charset : {"CP1251", "KOI8-R", "CP866", "ISO-8859-5"}) {
    EXPECT_EQ(find_charset(in_charset(charset, russian), ""), charset);
  }
  const std::string japanese = "灯台は百年以上も岩の上に立っていて、毎晩灯台守がランプをともします。";
  for (const char* charset : {"EUC-JP", "CP932", "ISO-2022-JP"}) {
    EXPECT_EQ(find_charset(in_charset(charset, japanese), ""), charset);
  }
  EXPECT_EQ(find_charset(in_charset("GB18030", "灯塔在岩石上已经有一百多年了，每天晚上看守人都要点亮那里的灯。"), ""),
            "GB18030");
  EXPECT_EQ(find_charset(in_charset("BIG5", "燈塔在岩石上已經有一百多年了，每天晚上看守人都要點亮那裡的燈。"), ""),
            "BIG5-HKSCS");
  EXPECT_EQ(
      find_charset(in_charset("CP949", "등대는 백 년 넘게 바위 위에 서 있고 등대지기는 매일 저녁 등불을 켠다."), ""),
      "CP949");
  EXPECT_EQ(find_charset(in_charset("CP1253", "Ο φάρος στέκεται στον βράχο εδώ και εκατό χρόνια."), ""), "CP1253");
  EXPECT_EQ(find_charset(in_charset("CP1255", "המגדלור עומד על הסלע כבר יותר ממאה שנה ומאיר בלילה."), ""), "CP1255");
  EXPECT_EQ(find_charset(in_charset("CP1256", "تقف المنارة على الصخرة منذ أكثر من مئة عام وتضيء كل مساء."), ""),
            "CP1256");
  EXPECT_EQ(find_charset(in_charset("CP874", "ประภาคารตั้งอยู่บนโขดหินมานานกว่าร้อยปีแล้ว"), ""), "CP874");
  EXPECT_EQ(
      find_charset(in_charset("CP1252", "Le phare s'élève sur le rocher, où le gardien monte dès la nuit tombée."), ""),
      "CP1252");
  EXPECT_EQ(find_charset(in_charset("UTF-16LE", "<p>The lighthouse"), ""), "UTF-16LE");
}

TEST(Charset, GuessesWithoutAnyWord) {
  EXPECT_EQ(decoded("caf\xC3\xA9"), "café");
  EXPECT_EQ(decoded("caf\xE9 \x80"), "café €");
}

TEST(Charset, DecodesTheScriptsOfTheWorld) {
  EXPECT_EQ(decoded("\x93\xFA\x96\x7B", "text/html; charset=shift_jis"), "日本");
  EXPECT_EQ(decoded("\xCF\xF0\xE8\xE2\xE5\xF2", "text/html; charset=windows-1251"), "Привет");
  EXPECT_EQ(decoded("\xD6\xD0\xCE\xC4", "text/html; charset=gbk"), "中文");
  EXPECT_EQ(decoded("\xA4\xA4\xA4\xE5", "text/html; charset=big5"), "中文");
  EXPECT_EQ(decoded("\xB1\xE8", "text/html; charset=euc-kr"), "김");
}

TEST(Charset, AlwaysReturnsValidUtf8) {
  EXPECT_EQ(to_utf8("a\xFF"
                    "b",
                    "UTF-8"),
            "a\uFFFDb");
  EXPECT_EQ(to_utf8("a\xC3", "UTF-8"), "a\uFFFD");
  EXPECT_TRUE(web::is_utf8(to_utf8("\xED\xA0\x80 \xF4\x90\x80\x80 \xC0\x80", "UTF-8")));
  std::string every;
  for (int i = 0; i < 70'000; ++i) every += char(i * 7919 >> (i % 5));
  for (const char* label : {"utf-8", "utf-16le", "latin1", "shift_jis", "gbk", "big5", "euc-jp", "iso-2022-jp",
                            "euc-kr", "koi8-r", "windows-874", "macintosh", "windows-1258"}) {
    EXPECT_TRUE(web::is_utf8(decoded(every, std::string("text/html; charset=") + label))) << label;
  }
}

}  // namespace charset_test
}  // namespace summarizer
