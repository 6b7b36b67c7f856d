import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Every text of the JSON test suite that no reader may accept, as a value in a good seed.
@Suite(
  .promise("JSON is RFC 8259, strictly", by: "each invalid case of the suite within a seed"),
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing"))
struct InvalidJSONTests {
  static let folder =
    Program.package + "/Tests/CatalogModelTests/Resources/JSONTestSuite"

  static let cases: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    return (names ?? []).filter { $0.hasPrefix("n_") }.sorted()
  }()

  /// Values of the sample seed in whose place a broken one is put. The reader's own tests go through
  /// every sort of value.
  static let places = ["\"Song 1\"", "61.5"]

  @Test func theSuiteIsWhole() {
    #expect(Self.cases.count == 188)
  }

  @Test(arguments: places)
  func everyInvalidCaseIsRefusedWithItsOffset(as place: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let before = try ScratchFolder.contents(catalog.path)
    let text = SampleSeed.text()
    let range = try #require(text.firstRange(of: place))
    let start = text[..<range.lowerBound].utf8.count
    for name in Self.cases {
      let value = [UInt8](try Data(contentsOf: URL(filePath: "\(Self.folder)/\(name)")))
      let bytes = Array(text[..<range.lowerBound].utf8) + value + text[range.upperBound...].utf8
      let seed = try catalog.folder.write(bytes, to: name)
      let outcome = await catalog.run("import", seed)
      #expect(outcome.status == 1, "\(name)")
      #expect(outcome.output.isEmpty, "\(name)")
      #expect(outcome.errors.contains(seed), "\(name)")
      let offset = try #require(byteOffset(in: outcome.errors), "\(name): \(outcome.errors)")
      #expect((start...bytes.count).contains(offset), "\(name): \(outcome.errors)")
      #expect(outcome.errors.utf8.count < 1_000, "\(name): a message that nobody can read")
      #expect(
        outcome.errors.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "\(name)")
    }
    #expect(try await catalog.head() == head)
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }
}
