import CatalogTestSupport
import Promises
import Testing

@testable import CatalogModel

/// A small vocabulary, with everything that a description can say.
private enum ShelfEvent: DescribedEvent, Hashable {
  case added(Board)
  case lent(EntityID, to: String)
  case moved(EntityID, Int64, from: Int64)
  case closed(Bool?)

  static let vocabulary = EventVocabulary {
    EventDescription("board.added", version: 3, Board.payload, ShelfEvent.added) {
      if case .added(let board) = $0 { board } else { nil }
    }
    EventDescription("book.lent", "book", "reader", ShelfEvent.lent) {
      if case .lent(let book, let reader) = $0 { (book, reader) } else { nil }
    }
    EventDescription("book.moved", "book", "to", "from", ShelfEvent.moved) {
      if case .moved(let book, let to, let from) = $0 { (book, to, from) } else { nil }
    }
    EventDescription("shelf.closed", "forever", ShelfEvent.closed) {
      if case .closed(let isForever) = $0 { isForever } else { nil }
    }
  }
}

private enum Wood: String, CaseIterable, PayloadValue {
  case oak
  case pine
}

private struct Screw: Hashable, PayloadObject {
  var length: Double

  static let payload = Payload(
    Member("length", setting: \Self.length), empty: { Screw(length: 0) })
}

private struct Board: Hashable, PayloadObject {
  var name: String
  var wood: Wood
  var since: Timestamp?
  var screws: [Screw]?
  var marks: [String]

  static let payload = Payload(
    Member(
      "name", \Self.name,
      form: PayloadForm("a word", pattern: "^[^ ]*$") { !$0.contains(" ") },
      limit: PayloadLimit(5, "bytes", of: "the name") { $0.utf8.count }),
    Member("wood", \.wood), Member("since", \.since), Member("screws", \.screws),
    Member("marks", \.marks),
    make: { (name, wood, since, screws, marks) throws(PayloadReader.Problem) in
      if wood == .pine, since != nil {
        throw PayloadReader.Problem(path: ".since", message: "pine has no age")
      }
      return Board(name: name, wood: wood, since: since, screws: screws, marks: marks)
    })
}

@Suite(
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path"))
struct DescribedPayloadTests {
  private let id = EntityID(high: 1, low: 2)

  private func written(_ event: ShelfEvent) -> (data: String, problem: String?) {
    let name = EventName(of: event)
    var bytes: [UInt8] = []
    let problem = EventEncoder.encode(
      EventEnvelope(
        sequence: 2, at: Timestamp(milliseconds: 0), type: name.rawValue, operation: id, by: "test"),
      version: name.version, into: &bytes
    ) { name.write(event, to: &$0) }
    let line = String(decoding: bytes, as: UTF8.self)
    return (String((line.split(separator: "\"data\":").last ?? "").dropLast()), problem)
  }

  private func read(_ name: EventName<ShelfEvent>, _ json: String) throws -> ShelfEvent {
    let value = try Array(json.utf8).withUnsafeBytes { try JSONValue.parse($0) }
    var data = try PayloadReader(value, path: "$.data")
    let event = try name.read(from: &data)
    try data.finish()
    return event
  }

  private func problem(_ name: EventName<ShelfEvent>, _ json: String) -> String {
    do {
      return "\(try read(name, json))"
    } catch let problem as PayloadReader.Problem {
      return "\(problem.path): \(problem.message)"
    } catch {
      return "\(error)"
    }
  }

  @Test func eachEventIsWrittenAndReadByItsDescription() throws {
    let events: [(ShelfEvent, EventName<ShelfEvent>, String)] = [
      (
        .added(
          Board(name: "top", wood: .oak, since: Timestamp(milliseconds: 0), screws: nil, marks: [])),
        "board.added",
        #"{"name":"top","wood":"oak","since":"1970-01-01T00:00:00.000Z","screws":null,"marks":[]}"#
      ),
      (
        .added(
          Board(
            name: "low", wood: .pine, since: nil, screws: [Screw(length: 2)], marks: ["a", "\""])),
        "board.added",
        #"{"name":"low","wood":"pine","since":null,"screws":[{"length":2.0}],"marks":["a","\""]}"#
      ),
      (.lent(id, to: "Ida"), "book.lent", #"{"book":"\#(id)","reader":"Ida"}"#),
      (.moved(id, 2, from: -1), "book.moved", #"{"book":"\#(id)","to":2,"from":-1}"#),
      (.closed(nil), "shelf.closed", #"{"forever":null}"#),
      (.closed(true), "shelf.closed", #"{"forever":true}"#),
    ]
    for (event, name, data) in events {
      #expect(EventName(of: event) == name)
      #expect(written(event).data == data)
      #expect(try read(name, data) == event)
    }
    #expect(EventName<ShelfEvent>(rawValue: "book.burnt") == nil)
    #expect(EventName<ShelfEvent>.allCases.map(\.version) == [3, 1, 1, 1])
  }

  @Test(arguments: [
    (
      #"{"wood":"oak","since":null,"screws":null,"marks":[]}"#,
      "$.data: the key \"name\" is missing"
    ),
    (
      #"{"name":"a b","wood":"oak","since":null,"screws":null,"marks":[]}"#,
      "$.data.name: \"a b\" is not a word"
    ),
    (
      #"{"name":"a","wood":"elm","since":null,"screws":null,"marks":[]}"#,
      "$.data.wood: \"elm\" is not one of oak, pine"
    ),
    (
      #"{"name":"a","wood":"pine","since":"1970-01-01T00:00:00.000Z","screws":null,"marks":[]}"#,
      "$.data.since: pine has no age"
    ),
    (
      #"{"name":"a","wood":"oak","since":"now","screws":null,"marks":[]}"#,
      "$.data.since: \"now\" is not a time"
    ),
    (
      #"{"name":"a","wood":"oak","since":null,"screws":[{"length":1},{"length":"2"}],"marks":[]}"#,
      "$.data.screws[1].length: \"2\" is not a number"
    ),
    (
      #"{"name":"a","wood":"oak","since":null,"screws":[{"length":1,"x":2}],"marks":[]}"#,
      "$.data.screws[0]: the key \"x\" is unknown"
    ),
    (
      #"{"name":"a","wood":"oak","since":null,"screws":null,"marks":[],"mark":1}"#,
      "$.data: the key \"mark\" is unknown"
    ),
  ])
  func whatIsWrongIsNamedByItsPath(_ json: String, _ message: String) {
    #expect(problem("board.added", json) == message)
  }

  @Test func anotherSpellingOfAKeyIsAnotherKey() {
    // U+212A is a "K" by Unicode's rules of equality.
    #expect(
      problem("book.lent", #"{"boo\#u{212A}":"\#(id)","reader":"Ida"}"#)
        == "$.data: the key \"book\" is missing")
  }

  @Test func aTextThatNoLogMayHoldIsNamedByItsPlace() {
    func board(_ name: String, _ marks: [String], _ length: Double = 0) -> ShelfEvent {
      .added(
        Board(name: name, wood: .oak, since: nil, screws: [Screw(length: length)], marks: marks))
    }
    #expect(written(board("a\0", [])).problem == "name holds U+0000")
    #expect(
      written(board("a", ["b", "e\u{301}"])).problem
        == "marks[1] is not in Unicode's normal form C")
    #expect(
      written(board("a", [], .infinity)).problem
        == "screws[0].length is inf, which is not a number of JSON")
  }

  @Test func aLimitIsSaidInWords() {
    let board = Board(name: "bottom", wood: .oak, since: nil, screws: nil, marks: [])
    #expect(
      ShelfEvent.vocabulary.excess(of: .added(board)) == "the name has 6 bytes; the limit is 5")
    #expect(ShelfEvent.vocabulary.excess(of: .lent(id, to: "somebody")) == nil)
    #expect(
      Board.payload.schema["properties"]?["name"]?["description"]
        == .string("the name has at most 5 bytes"))
  }

  @Test func generatedPayloadsHoldToTheDescriptions() throws {
    let trial = DescribedEventTrial(of: ShelfEvent.self, kind: "shelf", page: "") { type, payload in
      guard type == "board.added", case .object(var members) = payload else { return payload }
      members[0].value = .string("word")
      members[2].value = .null
      return .object(members)
    }
    #expect(trial.lostPayloads(seed: 1, rounds: 100) == [])
  }
}
