import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  .promise("JSON is RFC 8259, strictly", by: "the JSON test suite"))
struct JSONTestSuiteTests {
  /// Valid by RFC 8259, refused by our rules on purpose.
  private static let refusedOnPurpose: [String: DocumentError.Code] = [
    // One key, two values: readers disagree on which counts.
    "y_object_duplicated_key.json": .duplicateKey,
    "y_object_duplicated_key_and_value.json": .duplicateKey,
    // U+0000 ends texts in SQLite's and C's eyes.
    "y_object_escaped_null_in_key.json": .invalidJSON,
    "y_string_null_escape.json": .invalidJSON,
  ]

  @Test func theSuiteIsComplete() throws {
    #expect(try Resources.jsonCases("y_").count == 95)
    #expect(try Resources.jsonCases("n_").count == 188)
    #expect(try Resources.jsonCases("i_").count == 35)
  }

  @Test func acceptsEveryValidCase() throws {
    for name in try Resources.jsonCases("y_") {
      let error = Self.validationError(try Resources.jsonCase(name))
      #expect(error?.code == Self.refusedOnPurpose[name], "\(name): \(String(describing: error))")
    }
  }

  @Test func refusesEveryInvalidCase() throws {
    for name in try Resources.jsonCases("n_") {
      let bytes = try Resources.jsonCase(name)
      let error = try #require(Self.validationError(bytes), "\(name) was accepted")
      #expect(error.code == .invalidJSON, "\(name)")
      #expect((0...bytes.count).contains(error.offset), "\(name)")
    }
  }

  @Test func survivesEveryUndefinedCase() throws {
    for name in try Resources.jsonCases("i_") {
      let bytes = try Resources.jsonCase(name)
      if Self.validationError(bytes) == nil {
        #expect(throws: Never.self, "\(name)") {
          try bytes.withUnsafeBytes { try JSONValue.parse($0) }
        }
      }
    }
  }

  private static func validationError(_ bytes: [UInt8]) -> JSONError? {
    bytes.withUnsafeBytes { bytes in
      do throws(JSONError) {
        try JSONReader(bytes).validate()
        return nil
      } catch {
        return error
      }
    }
  }
}
