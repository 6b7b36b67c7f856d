import Foundation
import Promises
import Testing

@testable import Downloads

@Suite(
  .promise(
    "Whatever a server does, a download ends as PACKS.md says",
    by: "ranges, tags and pauses in all their forms"))
struct HeaderTests {
  @Test(arguments: [
    ("bytes 0-0/1", ContentRange.part(first: 0, last: 0, total: 1)),
    ("bytes 100-199/1000", .part(first: 100, last: 199, total: 1_000)),
    ("BYTES 5-9/10", .part(first: 5, last: 9, total: 10)),
    ("bytes */47", .unsatisfied(total: 47)),
  ])
  func contentRangesAreRead(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-9", "bytes 0-9/*", "bytes */*", "bytes 9-0/10", "bytes 0-10/10",
    "items 0-9/10", "bytes -9/10", "bytes 0-/10", "bytes +0-9/10", "bytes 0-9/-10",
    "bytes 0-9/99999999999999999999", "bytes=0-9/10", "bytes 0–9/10", "bytes 0-9/10, bytes 1-2/10",
  ])
  func whatIsNoContentRangeIsNone(text: String) {
    #expect(ContentRange(text) == nil)
  }

  @Test(arguments: ["\"a\"", "\"\"", "\"x-y_z/1\""])
  func strongTagsAreKept(text: String) {
    #expect(StrongEntityTag(text)?.text == text)
  }

  @Test(arguments: ["W/\"a\"", "a", "\"a", "a\"", "\"", "\"a\"b\"", "\"a\r\nX: y\"", "", "\"a b\""])
  func whatIsNoStrongTagIsNone(text: String) {
    #expect(StrongEntityTag(text) == nil)
  }

  @Test func pausesAreSecondsOrDatesInAllThreeForms() {
    let now = Date(timeIntervalSince1970: 784_111_777)
    #expect(RetryAfter.pause("120") == .seconds(120))
    #expect(RetryAfter.pause(" 0 ") == .seconds(0))
    for date in [
      "Sun, 06 Nov 1994 08:49:42 GMT", "Sunday, 06-Nov-94 08:49:42 GMT", "Sun Nov  6 08:49:42 1994",
    ] {
      #expect(RetryAfter.pause(date, now: now) == .seconds(5), "\(date)")
    }
    // A date that is past asks for no pause.
    #expect(RetryAfter.pause("Sun, 06 Nov 1994 08:00:00 GMT", now: now) == .seconds(0))
    #expect(RetryAfter.pause("99999999999999999999999") ?? .zero > .seconds(1_000_000))
    for text in ["", "soon", "-5", "1.5", "Sun, 06 Foo 1994 08:49:37 GMT", nil] {
      #expect(RetryAfter.pause(text) == nil)
    }
  }
}
