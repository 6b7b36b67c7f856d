import CatalogModel
import Promises
import Testing

@testable import SoundLibrary

/// Seeds with several faults: all of them are listed, in the document's order.
@Suite(
  .promise("All faults of a document are listed, in its order, with their places"))
struct SeedFaultsTests {
  private func refusal(of text: String) throws -> DocumentError {
    try #require(throws: DocumentError.self) {
      try SeedDocumentReader.read(Array(text.utf8), file: "seed.json")
    }
  }

  /// One document with each pair of changes that the tests of single faults have.
  @Test func everyFaultOfADocumentIsListed() throws {
    let text = """
      {"format":1,"seedID":"a","revision":0,"dimensions":{"moods":["Cozy","Cozy"],"mood":[]},
       "music":[{"id":"1","title":" ","duration":-1,"appleMusicPlaylistId":"p"},7],
       "packs":[{"id":"\(GoodSeed.packID)","kind":"sxf","title":"P","version":"1","items":[
         {"id":"\(GoodSeed.itemID)","tags":{"whatever":1}}]}]}
      """
    let error = try refusal(of: text)
    let all = [error] + error.furtherFaults
    #expect(
      all.map { "\($0.code) \($0.path ?? "") \($0.value ?? "-")" } == [
        "unknownKey $.seedID \"seedID\"", "invalidValue $.revision 0",
        "duplicateValue $.dimensions.moods[1] \"Cozy\"", "unknownKey $.dimensions.mood \"mood\"",
        "invalidValue $.music[0].id \"1\"", "invalidValue $.music[0].title \" \"",
        "invalidValue $.music[0].duration -1", "wrongType $.music[1] 7",
        "missingKey $.packs[0] -", "invalidValue $.packs[0].kind \"sxf\"",
      ])
    #expect(error.unlistedFaults == 2)
    #expect(error.faultCount == 12)
    for fault in all {
      let offset = try #require(fault.offset)
      if let value = fault.value { #expect(Array(text.utf8)[offset...].starts(with: value.utf8)) }
    }
    #expect(error.furtherFaults.allSatisfy { $0.furtherFaults.isEmpty && $0.faultCount == 1 })
    let lines = "\(error)".split(separator: "\n")
    #expect(lines.count == 11)
    #expect(lines.prefix(10).allSatisfy { $0.hasPrefix("seed.json: $") && $0.contains("(byte ") })
    #expect(lines.last == "and 2 more")
    #expect(lines[0].hasSuffix("did you mean \"seedId\"?"))
    #expect(lines[3].hasSuffix("did you mean \"moods\"?"))
    #expect(lines[9].hasSuffix("did you mean \"sfx\"?"))
  }

  @Test(arguments: [1, 2, 9, 10, 11, 5_000])
  func tenAreListedAndTheOthersCounted(count: Int) throws {
    let names = Array(repeating: "7", count: count).joined(separator: ",")
    let text = GoodSeed.replacing("[\"Arctic\",\"Forest\"]", "[\(names)]")
    let error = try refusal(of: text)
    #expect(error.faultCount == count)
    #expect(error.furtherFaults.count == min(count, 10) - 1)
    #expect(error.unlistedFaults == max(0, count - 10))
    #expect("\(error)".split(separator: "\n").count == min(count, 11))
    #expect(
      ([error] + error.furtherFaults).map(\.path)
        == (0..<min(count, 10)).map { "$.dimensions.locations[\($0)]" })
  }

  /// A key that is missing because it is misspelt is one fault; one that is only near to another is two.
  @Test func aMisspeltKeyIsOneFault() throws {
    let misspelt = try refusal(of: GoodSeed.replacing("\"title\":\"Tavern\"", "\"Titel\":\"x\""))
    #expect(misspelt.faultCount == 1)
    #expect(misspelt.path == "$.music[0].Titel")
    let both = try refusal(
      of: GoodSeed.replacing("\"title\":\"Tavern\"", "\"titel\":\"x\",\"tilte\":\"y\""))
    #expect(both.faultCount == 2)
    let foreign = try refusal(
      of: GoodSeed.replacing("\"title\":\"Tavern\"", "\"headline\":\"x\""))
    #expect(foreign.faultCount == 2)
    #expect(foreign.code == .missingKey)
  }

  @Test func keysThatAppearTwiceAreListedWithTheOthers() throws {
    let error = try refusal(
      of: GoodSeed.replacing("\"Tavern\"", "7,\"title\":\"a\",\"title\":\"b\"")
        .replacing("\"revision\":7", with: "\"revision\":0"))
    #expect(
      ([error] + error.furtherFaults).map { "\($0.code) \($0.path ?? "")" } == [
        "invalidValue $.revision", "wrongType $.music[0].title", "duplicateKey $.music[0].title",
        "duplicateKey $.music[0].title",
      ])
  }

  /// Tags of items whose pack has no kind cannot be judged, and are not called wrong.
  @Test func aFaultHasNoEcho() throws {
    for kind in ["\"kind\":\"noise\",", ""] {
      let error = try refusal(of: GoodSeed.replacing("\"kind\":\"sfx\",", kind))
      #expect(error.faultCount == 1, "\(error)")
    }
    let error = try refusal(of: GoodSeed.replacing("\"format\":1", "\"format\":2,\"x\":1"))
    #expect(error.faultCount == 1)
    #expect(error.code == .unsupportedFormat)
  }

  @Test func faultsOfSeveralFilesAreOneError() throws {
    #expect(DocumentError(joining: []) == nil)
    let single = try refusal(of: GoodSeed.replacing("\"Tavern\"", "7"))
    #expect(DocumentError(joining: [single]) == single)
    let many = try refusal(
      of: GoodSeed.replacing(
        "[\"Arctic\",\"Forest\"]",
        "[\(Array(repeating: "7", count: 8).joined(separator: ","))]"))
    let joined = try #require(DocumentError(joining: [single, many, many, single]))
    #expect(joined.faultCount == 18)
    #expect(joined.furtherFaults.count == 9)
    #expect(joined.unlistedFaults == 8)
    #expect(joined.oneLine.hasSuffix("(and 17 more)"))
    #expect(!joined.oneLine.contains("\n"))
  }
}
