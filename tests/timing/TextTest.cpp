// Escaping of foreign text, and how numbers are written.
#include "compiler/timing/Text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace fly::timing {
namespace {

TEST(TimingText, HtmlIsEscaped) {
  EXPECT_EQ(escaped("<b a=\"x\" b='y'>&"), "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
}

TEST(TimingText, JsonStaysInsideItsScript) {
  const std::string text = "</script><!-- \"\\ & \xE2\x80\xA8";
  const std::string json = jsonText(text);
  EXPECT_EQ(json.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), text);
}

TEST(TimingText, WhatIsNoTextIsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(cleanText("a\tb"), "a b");
  EXPECT_EQ(cleanText(std::string_view("a\0b\nc\x7F", 6)), "a" + mark + "b" + mark + "c" + mark);
  EXPECT_EQ(cleanText("\xFF\xC3"), mark + mark);                       // no UTF-8, cut off
  EXPECT_EQ(cleanText("\xC0\xAF"), mark + mark);                       // overlong
  EXPECT_EQ(cleanText("\xED\xA0\x80"), mark + mark + mark);            // a surrogate
  EXPECT_EQ(cleanText("\xF4\x90\x80\x80"), mark + mark + mark + mark); // beyond U+10FFFF
  EXPECT_EQ(cleanText("\xC2\x85"), mark);                              // a control character of two bytes
  EXPECT_EQ(cleanText("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(TimingText, ShortenedCountsCharacters) {
  EXPECT_EQ(shortened("abcd", 4), "abcd");
  EXPECT_EQ(shortened("abcde", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(shortened("\xC3\xA4\xC3\xB6\xC3\xBC", 2), "\xC3\xA4\xE2\x80\xA6");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(TimingText, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(decimal(1.50), "1.5");
  EXPECT_EQ(decimal(200), "200");
  EXPECT_EQ(decimal(-0.001), "0");
  EXPECT_EQ(decimal(NAN), "0");
  EXPECT_EQ(brief(0), "0");
  EXPECT_EQ(brief(999), "999");
  EXPECT_EQ(brief(1048576), "1.05 M");
  EXPECT_EQ(brief(99960), "100 k");
  EXPECT_EQ(brief(999600), "1 M");
  EXPECT_EQ(brief(1e30), "1000000000000 E");
  EXPECT_EQ(brief(INFINITY), "0");
  EXPECT_EQ(percent(0.4567), "45.7 %");
  EXPECT_EQ(percent(0.27), "27.0 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(1e-6), "< 0.1 %");
  EXPECT_EQ(percent(NAN), "0 %");
}

} // namespace
} // namespace fly::timing
