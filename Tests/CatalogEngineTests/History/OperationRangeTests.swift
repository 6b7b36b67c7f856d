import CatalogEngine
import Promises
import Testing

@Suite(
  .promise(
    "An operation is named by its first event, its id or its beginning, and a wrong name "
      + "says why it is wrong"))
struct OperationRangeTests {
  @Test(arguments: [
    ("1318f01b-0000-4000-8000-0123456789ab", "1318f01b-0000-4000-8000-0123456789ab"),
    ("1318F01B-0000-4000-8000-0123456789AB", "1318f01b-0000-4000-8000-0123456789ab"),
    ("1318F01B", "1318f01b"), ("1318f01", "1318f01"), ("1f0b", "1f0b"), ("0123", "0123"),
    ("1318f01b-00", "1318f01b-00"), ("00001234", "00001234"),
    ("3534", "3534"), ("12345678", "12345678"), ("3534..3600", "3534..3600"), ("7..7", "7"),
    ("1..", "1.."), ("head~2..head", "head~2..head"),
  ])
  func namesAreRead(text: String, words: String) throws {
    #expect(OperationName(text)?.description == words)
  }

  @Test(arguments: [
    "", "1f0", "131-", "1318f01b0", "1318f01b-00-", "1318f01x", "0", "0..4", "9..8", "0..", "..4",
    "1...4", "-3", "+3", "1318f01b-0000-4000-8000-0123456789abc", "99999999999999999999999",
  ])
  func otherTextsAreNoNames(text: String) {
    #expect(OperationName(text) == nil)
  }
}
